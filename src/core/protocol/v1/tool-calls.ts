import * as v from 'valibot';
import { SessionReference } from '../both/newer.ts';
import {
  Content,
  PermissionOption,
  SelectedPermissionOutcome,
  Terminal,
  ToolCallStatus,
  ToolKind,
} from '../both/tool-calls.ts';
import {
  count,
  empty,
  json,
  lenient,
  lenientArray,
  meta,
  nullableString,
  nullish,
  openVariant,
  optional,
  path,
  struct,
  variant,
} from '../vocabulary.ts';

export const Diff = struct({ path, oldText: nullableString, newText: v.string(), _meta: meta });
export type Diff = v.InferOutput<typeof Diff>;

export const ToolCallContent = openVariant('type', {
  content: Content,
  diff: Diff,
  terminal: Terminal,
  session: SessionReference,
});
export type ToolCallContent = v.InferOutput<typeof ToolCallContent>;

export const ToolCallLocation = struct({ path, line: nullish(count), _meta: meta });
export type ToolCallLocation = v.InferOutput<typeof ToolCallLocation>;

export const ToolCall = struct({
  toolCallId: v.string(),
  title: v.string(),
  name: nullableString,
  kind: lenient(ToolKind),
  status: lenient(ToolCallStatus),
  content: lenient(lenientArray(ToolCallContent)),
  locations: lenient(lenientArray(ToolCallLocation)),
  rawInput: optional(json),
  rawOutput: optional(json),
  _meta: meta,
});
export type ToolCall = v.InferOutput<typeof ToolCall>;

/** Omitted and `null` fields keep their previous value. */
export const ToolCallUpdate = struct({
  toolCallId: v.string(),
  title: nullableString,
  name: nullableString,
  kind: nullish(ToolKind),
  status: nullish(ToolCallStatus),
  content: nullish(lenientArray(ToolCallContent)),
  locations: nullish(lenientArray(ToolCallLocation)),
  rawInput: optional(json),
  rawOutput: optional(json),
  _meta: meta,
});
export type ToolCallUpdate = v.InferOutput<typeof ToolCallUpdate>;

export const RequestPermissionRequest = struct({
  sessionId: v.string(),
  toolCall: ToolCallUpdate,
  options: v.array(PermissionOption),
  _meta: meta,
});
export type RequestPermissionRequest = v.InferOutput<typeof RequestPermissionRequest>;

export const RequestPermissionOutcome = variant('outcome', {
  cancelled: empty,
  selected: SelectedPermissionOutcome,
});
export type RequestPermissionOutcome = v.InferOutput<typeof RequestPermissionOutcome>;

export const RequestPermissionResponse = struct({ outcome: RequestPermissionOutcome, _meta: meta });
export type RequestPermissionResponse = v.InferOutput<typeof RequestPermissionResponse>;
