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
  empty,
  integer,
  json,
  lenient,
  lenientArray,
  marker,
  meta,
  nonEmptyArray,
  nullableString,
  nullish,
  openEnum,
  openVariant,
  optional,
  optionalNullable,
  ordinal,
  path,
  struct,
} from '../vocabulary.ts';

export const DiffFileType = openEnum<'text' | 'binary' | 'directory' | 'symlink'>();
export type DiffFileType = v.InferOutput<typeof DiffFileType>;

const file = {
  fileType: nullish(DiffFileType),
  mimeType: nullableString,
  /** Only in earlier drafts, as in version 1. */
  oldText: nullableString,
  /** Only in earlier drafts, as in version 1. */
  newText: lenient(v.string()),
  _meta: meta,
};

export const DiffPathChange = struct({ path });
export type DiffPathChange = v.InferOutput<typeof DiffPathChange>;

export const DiffPathPairChange = struct({ oldPath: path, path });
export type DiffPathPairChange = v.InferOutput<typeof DiffPathPairChange>;

const onePath = struct({ ...file, ...DiffPathChange.entries });
const twoPaths = struct({ ...file, ...DiffPathPairChange.entries });

export const DiffChange = openVariant(
  'operation',
  { add: onePath, delete: onePath, modify: onePath, move: twoPaths, copy: twoPaths },
  { ...file, path: lenient(path), oldPath: lenient(path) },
);
export type DiffChange = v.InferOutput<typeof DiffChange>;

export const DiffPatchFormat = openEnum<'git_patch'>();
export type DiffPatchFormat = v.InferOutput<typeof DiffPatchFormat>;

export const DiffPatch = struct({ format: DiffPatchFormat, text: v.string(), _meta: meta });
export type DiffPatch = v.InferOutput<typeof DiffPatch>;

export const Diff = struct({ changes: lenientArray(DiffChange), patch: nullish(DiffPatch), _meta: meta });
export type Diff = v.InferOutput<typeof Diff>;

export const ToolCallContent = openVariant('type', {
  content: Content,
  diff: Diff,
  terminal: Terminal,
  session: SessionReference,
});
export type ToolCallContent = v.InferOutput<typeof ToolCallContent>;

export const ToolCallLocation = struct({ path, line: nullish(ordinal), _meta: meta });
export type ToolCallLocation = v.InferOutput<typeof ToolCallLocation>;

export const ToolCallCapabilities = struct({ cancel: marker, _meta: meta });
export type ToolCallCapabilities = v.InferOutput<typeof ToolCallCapabilities>;

/** Omitted fields keep their previous value, `null` clears it, a value replaces it. */
export const ToolCallUpdate = struct({
  toolCallId: v.string(),
  name: nullableString,
  title: nullableString,
  kind: nullish(ToolKind),
  status: nullish(ToolCallStatus),
  content: nullish(lenientArray(ToolCallContent)),
  locations: nullish(lenientArray(ToolCallLocation)),
  rawInput: optional(json),
  rawOutput: optional(json),
  capabilities: nullish(ToolCallCapabilities),
  _meta: meta,
});
export type ToolCallUpdate = v.InferOutput<typeof ToolCallUpdate>;

export const ToolCallContentChunk = struct({
  toolCallId: v.string(),
  content: ToolCallContent,
  _meta: meta,
});
export type ToolCallContentChunk = v.InferOutput<typeof ToolCallContentChunk>;

/** `data` is base64. */
export const TerminalOutput = struct({ data: v.string(), _meta: meta });
export type TerminalOutput = v.InferOutput<typeof TerminalOutput>;

export const TerminalExitStatus = struct({ exitCode: nullish(integer), signal: nullableString, _meta: meta });
export type TerminalExitStatus = v.InferOutput<typeof TerminalExitStatus>;

const cells = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535));

export const TerminalSize = struct({ cols: cells, rows: cells, _meta: meta });
export type TerminalSize = v.InferOutput<typeof TerminalSize>;

export const TerminalCapabilities = struct({ cancel: marker, _meta: meta });
export type TerminalCapabilities = v.InferOutput<typeof TerminalCapabilities>;

/** `output` replaces all previous output. */
export const TerminalUpdate = struct({
  terminalId: v.string(),
  command: nullableString,
  cwd: nullish(path),
  output: nullish(TerminalOutput),
  exitStatus: nullish(TerminalExitStatus),
  size: nullish(TerminalSize),
  capabilities: nullish(TerminalCapabilities),
  _meta: meta,
});
export type TerminalUpdate = v.InferOutput<typeof TerminalUpdate>;

/** `data` is base64. Decode each chunk separately. */
export const TerminalOutputChunk = struct({ terminalId: v.string(), data: v.string(), _meta: meta });
export type TerminalOutputChunk = v.InferOutput<typeof TerminalOutputChunk>;

export const CancelToolCallRequest = struct({
  sessionId: v.string(),
  toolCallId: v.string(),
  _meta: meta,
});
export type CancelToolCallRequest = v.InferOutput<typeof CancelToolCallRequest>;

export const CancelTerminalRequest = struct({
  sessionId: v.string(),
  terminalId: v.string(),
  _meta: meta,
});
export type CancelTerminalRequest = v.InferOutput<typeof CancelTerminalRequest>;

export const ToolCallPermissionSubject = struct({ toolCall: ToolCallUpdate, _meta: meta });
export type ToolCallPermissionSubject = v.InferOutput<typeof ToolCallPermissionSubject>;

export const CommandPermissionSubject = struct({
  command: v.string(),
  cwd: path,
  toolCallId: nullableString,
  terminalId: nullableString,
  _meta: meta,
});
export type CommandPermissionSubject = v.InferOutput<typeof CommandPermissionSubject>;

export const RequestPermissionSubject = openVariant('type', {
  tool_call: ToolCallPermissionSubject,
  command: CommandPermissionSubject,
});
export type RequestPermissionSubject = v.InferOutput<typeof RequestPermissionSubject>;

export const RequestPermissionRequest = struct({
  sessionId: v.string(),
  title: v.string(),
  description: nullableString,
  subject: optionalNullable(RequestPermissionSubject),
  options: nonEmptyArray(PermissionOption),
  _meta: meta,
});
export type RequestPermissionRequest = v.InferOutput<typeof RequestPermissionRequest>;

export const CancelledPermissionOutcome = empty;
export type CancelledPermissionOutcome = v.InferOutput<typeof CancelledPermissionOutcome>;

export const RequestPermissionOutcome = openVariant('outcome', {
  cancelled: CancelledPermissionOutcome,
  selected: SelectedPermissionOutcome,
});
export type RequestPermissionOutcome = v.InferOutput<typeof RequestPermissionOutcome>;

export const RequestPermissionResponse = struct({ outcome: RequestPermissionOutcome, _meta: meta });
export type RequestPermissionResponse = v.InferOutput<typeof RequestPermissionResponse>;
