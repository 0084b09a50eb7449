import { SessionReference } from '../both/newer.ts';
import {
  Content,
  PermissionOption,
  SelectedPermissionOutcome,
  Terminal,
  ToolCallStatus,
  ToolKind,
} from '../both/tool-calls.ts';
import * as v from '../vocabulary.ts';

export const Diff = v.struct({ path: v.path, oldText: v.nullableString, newText: v.string(), _meta: v.meta });
export type Diff = v.InferOutput<typeof Diff>;

export const ToolCallContent = v.openVariant('type', {
  content: Content,
  diff: Diff,
  terminal: Terminal,
  session: SessionReference,
});
export type ToolCallContent = v.InferOutput<typeof ToolCallContent>;

export const ToolCallLocation = v.struct({ path: v.path, line: v.nullish(v.count), _meta: v.meta });
export type ToolCallLocation = v.InferOutput<typeof ToolCallLocation>;

export const ToolCall = v.struct({
  toolCallId: v.string(),
  title: v.string(),
  name: v.nullableString,
  kind: v.lenient(ToolKind),
  status: v.lenient(ToolCallStatus),
  content: v.lenient(v.lenientArray(ToolCallContent)),
  locations: v.lenient(v.lenientArray(ToolCallLocation)),
  rawInput: v.optional(v.json),
  rawOutput: v.optional(v.json),
  _meta: v.meta,
});
export type ToolCall = v.InferOutput<typeof ToolCall>;

/** Omitted and `null` fields keep their previous value. */
export const ToolCallUpdate = v.struct({
  toolCallId: v.string(),
  title: v.nullableString,
  name: v.nullableString,
  kind: v.nullish(ToolKind),
  status: v.nullish(ToolCallStatus),
  content: v.nullish(v.lenientArray(ToolCallContent)),
  locations: v.nullish(v.lenientArray(ToolCallLocation)),
  rawInput: v.optional(v.json),
  rawOutput: v.optional(v.json),
  _meta: v.meta,
});
export type ToolCallUpdate = v.InferOutput<typeof ToolCallUpdate>;

export const RequestPermissionRequest = v.struct({
  sessionId: v.string(),
  toolCall: ToolCallUpdate,
  options: v.array(PermissionOption),
  _meta: v.meta,
});
export type RequestPermissionRequest = v.InferOutput<typeof RequestPermissionRequest>;

export const RequestPermissionOutcome = v.variant('outcome', {
  cancelled: v.empty,
  selected: SelectedPermissionOutcome,
});
export type RequestPermissionOutcome = v.InferOutput<typeof RequestPermissionOutcome>;

export const RequestPermissionResponse = v.struct({ outcome: RequestPermissionOutcome, _meta: v.meta });
export type RequestPermissionResponse = v.InferOutput<typeof RequestPermissionResponse>;
