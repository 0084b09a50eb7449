import * as v from 'valibot';
import { clientRequest } from '../method.ts';
import {
  count,
  empty,
  json,
  lenient,
  lenientArray,
  meta,
  nullableString,
  nullish,
  openEnum,
  openVariant,
  optional,
  path,
  struct,
  variant,
} from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

export const ToolKind = openEnum<
  'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'switch_mode' | 'other'
>();
export type ToolKind = v.InferOutput<typeof ToolKind>;

export const ToolCallStatus = openEnum<'pending' | 'in_progress' | 'completed' | 'failed'>();
export type ToolCallStatus = v.InferOutput<typeof ToolCallStatus>;

export const Content = struct({ content: ContentBlock, _meta: meta });
export type Content = v.InferOutput<typeof Content>;

export const Diff = struct({ path, oldText: nullableString, newText: v.string(), _meta: meta });
export type Diff = v.InferOutput<typeof Diff>;

export const Terminal = struct({ terminalId: v.string(), _meta: meta });
export type Terminal = v.InferOutput<typeof Terminal>;

/** A reference to a session, such as the subagent that a tool call started. */
const SessionReference = struct({ sessionId: v.string(), _meta: meta });

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

export const PermissionOptionKind = openEnum<
  'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
>();
export type PermissionOptionKind = v.InferOutput<typeof PermissionOptionKind>;

export const PermissionOption = struct({
  optionId: v.string(),
  name: v.string(),
  kind: PermissionOptionKind,
  _meta: meta,
});
export type PermissionOption = v.InferOutput<typeof PermissionOption>;

export const RequestPermissionRequest = struct({
  sessionId: v.string(),
  toolCall: ToolCallUpdate,
  options: v.array(PermissionOption),
  _meta: meta,
});
export type RequestPermissionRequest = v.InferOutput<typeof RequestPermissionRequest>;

/** A request without a tool call. It is not in the current schema. */
export const BarePermissionRequest = struct({
  sessionId: v.string(),
  prompt: nullableString,
  title: nullableString,
  context: nullableString,
  description: nullableString,
  options: v.array(PermissionOption),
  _meta: meta,
});

export const SelectedPermissionOutcome = struct({ optionId: v.string(), _meta: meta });
export type SelectedPermissionOutcome = v.InferOutput<typeof SelectedPermissionOutcome>;

export const RequestPermissionOutcome = variant('outcome', {
  cancelled: empty,
  selected: SelectedPermissionOutcome,
});
export type RequestPermissionOutcome = v.InferOutput<typeof RequestPermissionOutcome>;

export const RequestPermissionResponse = struct({ outcome: RequestPermissionOutcome, _meta: meta });
export type RequestPermissionResponse = v.InferOutput<typeof RequestPermissionResponse>;

/** @see https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission */
export const requestPermission = clientRequest({
  method: 'session/request_permission',
  params: RequestPermissionRequest,
  result: RequestPermissionResponse,
});
