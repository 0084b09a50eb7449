import type {
  TerminalExited,
  TerminalOutputReported,
  TerminalPrinted,
  TerminalRead,
  TerminalStarted,
} from '../model/client-update.ts';
import type { ConversationTerminal } from '../model/conversation.ts';
import type { TerminalOutputChunk, TerminalUpdate } from '../model/update.ts';
import { decodeBase64 } from './base64.ts';
import type { Draft } from './draft.ts';
import { lastBytes } from './output-tail.ts';
import { utf8Bytes } from './utf8.ts';

/** Changes or adds a terminal of the agent. */
export function terminalUpdate(draft: Draft, update: TerminalUpdate): void {
  if (draft.terminals.ownerOf(update.terminalId) === 'client') return;
  const terminal = draft.terminals.get(update.terminalId) ?? newTerminal(update.terminalId);
  const output = update.output == null ? update.output : decodeBase64(update.output.data);
  draft.putTerminal({
    ...terminal,
    command: update.command === undefined ? terminal.command : update.command,
    cwd: update.cwd === undefined ? terminal.cwd : update.cwd,
    ...(output === undefined ? {} : lastBytes(output ?? '', 0)),
    exitStatus: update.exitStatus === undefined ? terminal.exitStatus : update.exitStatus,
    size: update.size === undefined ? terminal.size : update.size,
    capabilities: update.capabilities === undefined ? terminal.capabilities : update.capabilities,
    meta: draft.patchMeta(terminal.meta, update._meta),
  });
}

/**
 * Appends output to a terminal of the agent. Each chunk is base64 by itself; a character may be split between chunks.
 */
export function terminalOutputChunk(draft: Draft, { terminalId, data }: TerminalOutputChunk): void {
  const owner = draft.terminals.ownerOf(terminalId);
  if (owner === 'client') return;
  if (owner === undefined) draft.putTerminal(newTerminal(terminalId));
  draft.appendOutput(terminalId, decodeBase64(data) ?? '');
}

/** Appends the output of a command that has ended to its terminal, if nothing of it was sent before. */
export function terminalOutputReported(draft: Draft, { terminalId, data }: TerminalOutputReported): void {
  const terminal = draft.terminals.get(terminalId);
  if (terminal && terminal.bytes.length + terminal.droppedBytes > 0) return;
  terminalOutputChunk(draft, { sessionUpdate: 'terminal_output_chunk', terminalId, data });
}

/** Adds a terminal of the client, or replaces the one that had its id. */
export function terminalStarted(draft: Draft, { terminalId, command, argv, cwd }: TerminalStarted): void {
  draft.dropOldOutput();
  draft.putTerminal({ ...newTerminal(terminalId), owner: 'client', command, argv, cwd });
}

/** Appends output to a terminal of the client. */
export function terminalPrinted(draft: Draft, { terminalId, text }: TerminalPrinted): void {
  if (draft.terminals.ownerOf(terminalId) === 'client') draft.appendOutput(terminalId, utf8Bytes(text));
}

/**
 * Sets the output of a terminal of the client. A truncated output is the end of at least as many bytes as the terminal
 * had.
 */
export function terminalRead(draft: Draft, { terminalId, output, truncated }: TerminalRead): void {
  const terminal = draft.terminals.get(terminalId);
  if (terminal?.owner !== 'client') return;
  const bytes = utf8Bytes(output);
  const end = terminal.droppedBytes + terminal.bytes.length;
  if (truncated) {
    const droppedBytes = Math.max(1, end - bytes.length);
    draft.putTerminal({ ...terminal, ...lastBytes(bytes, droppedBytes) });
  } else if (bytes.slice(terminal.droppedBytes, end) === terminal.bytes) {
    draft.appendOutput(terminalId, bytes.slice(end));
  } else draft.putTerminal({ ...terminal, ...lastBytes(bytes, 0) });
}

/** Sets how the command of a terminal of the client ended. */
export function terminalExited(draft: Draft, { terminalId, exitStatus }: TerminalExited): void {
  const terminal = draft.terminals.get(terminalId);
  if (terminal?.owner === 'client') draft.putTerminal({ ...terminal, exitStatus });
}

function newTerminal(terminalId: string): ConversationTerminal {
  return {
    terminalId,
    owner: 'agent',
    command: null,
    argv: null,
    cwd: null,
    bytes: '',
    droppedBytes: 0,
    exitStatus: null,
    size: null,
    capabilities: null,
    meta: null,
  };
}
