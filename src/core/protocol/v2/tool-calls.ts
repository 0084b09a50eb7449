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

export const DiffFileType = v.openEnum<'text' | 'binary' | 'directory' | 'symlink'>();
export type DiffFileType = v.InferOutput<typeof DiffFileType>;

const file = {
  fileType: v.nullish(DiffFileType),
  mimeType: v.nullableString,
  /** Only in earlier drafts, as in version 1. */
  oldText: v.nullableString,
  /** Only in earlier drafts, as in version 1. */
  newText: v.lenient(v.string()),
  _meta: v.meta,
};

export const DiffPathChange = v.struct({ path: v.path });
export type DiffPathChange = v.InferOutput<typeof DiffPathChange>;

export const DiffPathPairChange = v.struct({ oldPath: v.path, path: v.path });
export type DiffPathPairChange = v.InferOutput<typeof DiffPathPairChange>;

const onePath = v.struct({ ...file, ...DiffPathChange.entries });
const twoPaths = v.struct({ ...file, ...DiffPathPairChange.entries });

export const DiffChange = v.openVariant(
  'operation',
  { add: onePath, delete: onePath, modify: onePath, move: twoPaths, copy: twoPaths },
  { ...file, path: v.lenient(v.path), oldPath: v.lenient(v.path) },
);
export type DiffChange = v.InferOutput<typeof DiffChange>;

export const DiffPatchFormat = v.openEnum<'git_patch'>();
export type DiffPatchFormat = v.InferOutput<typeof DiffPatchFormat>;

export const DiffPatch = v.struct({ format: DiffPatchFormat, text: v.string(), _meta: v.meta });
export type DiffPatch = v.InferOutput<typeof DiffPatch>;

export const Diff = v.struct({
  changes: v.lenientArray(DiffChange),
  patch: v.nullish(DiffPatch),
  _meta: v.meta,
});
export type Diff = v.InferOutput<typeof Diff>;

export const ToolCallContent = v.openVariant('type', {
  content: Content,
  diff: Diff,
  terminal: Terminal,
  session: SessionReference,
});
export type ToolCallContent = v.InferOutput<typeof ToolCallContent>;

export const ToolCallLocation = v.struct({ path: v.path, line: v.nullish(v.ordinal), _meta: v.meta });
export type ToolCallLocation = v.InferOutput<typeof ToolCallLocation>;

export const ToolCallCapabilities = v.struct({ cancel: v.marker, _meta: v.meta });
export type ToolCallCapabilities = v.InferOutput<typeof ToolCallCapabilities>;

/** Omitted fields keep their previous value, `null` clears it, a value replaces it. */
export const ToolCallUpdate = v.struct({
  toolCallId: v.string(),
  name: v.nullableString,
  title: v.nullableString,
  kind: v.nullish(ToolKind),
  status: v.nullish(ToolCallStatus),
  content: v.nullish(v.lenientArray(ToolCallContent)),
  locations: v.nullish(v.lenientArray(ToolCallLocation)),
  rawInput: v.optional(v.json),
  rawOutput: v.optional(v.json),
  capabilities: v.nullish(ToolCallCapabilities),
  _meta: v.meta,
});
export type ToolCallUpdate = v.InferOutput<typeof ToolCallUpdate>;

export const ToolCallContentChunk = v.struct({
  toolCallId: v.string(),
  content: ToolCallContent,
  _meta: v.meta,
});
export type ToolCallContentChunk = v.InferOutput<typeof ToolCallContentChunk>;

/** `data` is base64. */
export const TerminalOutput = v.struct({ data: v.string(), _meta: v.meta });
export type TerminalOutput = v.InferOutput<typeof TerminalOutput>;

export const TerminalExitStatus = v.struct({
  exitCode: v.nullish(v.integer),
  signal: v.nullableString,
  _meta: v.meta,
});
export type TerminalExitStatus = v.InferOutput<typeof TerminalExitStatus>;

const cells = v.integerBetween(1, 65535);

export const TerminalSize = v.struct({ cols: cells, rows: cells, _meta: v.meta });
export type TerminalSize = v.InferOutput<typeof TerminalSize>;

export const TerminalCapabilities = v.struct({ cancel: v.marker, _meta: v.meta });
export type TerminalCapabilities = v.InferOutput<typeof TerminalCapabilities>;

/** `output` replaces all previous output. */
export const TerminalUpdate = v.struct({
  terminalId: v.string(),
  command: v.nullableString,
  cwd: v.nullish(v.path),
  output: v.nullish(TerminalOutput),
  exitStatus: v.nullish(TerminalExitStatus),
  size: v.nullish(TerminalSize),
  capabilities: v.nullish(TerminalCapabilities),
  _meta: v.meta,
});
export type TerminalUpdate = v.InferOutput<typeof TerminalUpdate>;

/** `data` is base64. Decode each chunk separately. */
export const TerminalOutputChunk = v.struct({ terminalId: v.string(), data: v.string(), _meta: v.meta });
export type TerminalOutputChunk = v.InferOutput<typeof TerminalOutputChunk>;

export const CancelToolCallRequest = v.struct({
  sessionId: v.string(),
  toolCallId: v.string(),
  _meta: v.meta,
});
export type CancelToolCallRequest = v.InferOutput<typeof CancelToolCallRequest>;

export const CancelTerminalRequest = v.struct({
  sessionId: v.string(),
  terminalId: v.string(),
  _meta: v.meta,
});
export type CancelTerminalRequest = v.InferOutput<typeof CancelTerminalRequest>;

export const ToolCallPermissionSubject = v.struct({ toolCall: ToolCallUpdate, _meta: v.meta });
export type ToolCallPermissionSubject = v.InferOutput<typeof ToolCallPermissionSubject>;

export const CommandPermissionSubject = v.struct({
  command: v.string(),
  cwd: v.path,
  toolCallId: v.nullableString,
  terminalId: v.nullableString,
  _meta: v.meta,
});
export type CommandPermissionSubject = v.InferOutput<typeof CommandPermissionSubject>;

export const RequestPermissionSubject = v.openVariant('type', {
  tool_call: ToolCallPermissionSubject,
  command: CommandPermissionSubject,
});
export type RequestPermissionSubject = v.InferOutput<typeof RequestPermissionSubject>;

export const RequestPermissionRequest = v.struct({
  sessionId: v.string(),
  title: v.string(),
  description: v.nullableString,
  subject: v.optionalNullable(RequestPermissionSubject),
  options: v.nonEmptyArray(PermissionOption),
  _meta: v.meta,
});
export type RequestPermissionRequest = v.InferOutput<typeof RequestPermissionRequest>;

export const CancelledPermissionOutcome = v.empty;
export type CancelledPermissionOutcome = v.InferOutput<typeof CancelledPermissionOutcome>;

export const RequestPermissionOutcome = v.openVariant('outcome', {
  cancelled: CancelledPermissionOutcome,
  selected: SelectedPermissionOutcome,
});
export type RequestPermissionOutcome = v.InferOutput<typeof RequestPermissionOutcome>;

export const RequestPermissionResponse = v.struct({ outcome: RequestPermissionOutcome, _meta: v.meta });
export type RequestPermissionResponse = v.InferOutput<typeof RequestPermissionResponse>;
