import type { ConversationTerminal } from '../model/conversation.ts';
import type { TerminalOutputChunk, TerminalOutputReported, TerminalUpdate } from '../model/update.ts';
import { decodeBase64 } from './base64.ts';
import type { Draft } from './draft.ts';
import { lastBytes } from './output-tail.ts';

/** Changes or adds a terminal that the agent owns. */
export function terminalUpdate(draft: Draft, update: TerminalUpdate): void {
  const terminal = draft.terminal(update.terminalId) ?? newTerminal(update.terminalId);
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

/** Appends output to a terminal. Each chunk is base64 by itself; a character may be split between chunks. */
export function terminalOutputChunk(draft: Draft, { terminalId, data }: TerminalOutputChunk): void {
  if (!draft.hasTerminal(terminalId)) draft.putTerminal(newTerminal(terminalId));
  draft.appendOutput(terminalId, decodeBase64(data) ?? '');
}

/** Appends the output of a command that has ended to its terminal, if nothing of it was sent before. */
export function terminalOutputReported(draft: Draft, { terminalId, data }: TerminalOutputReported): void {
  const terminal = draft.terminal(terminalId);
  if (terminal && terminal.bytes.length + terminal.droppedBytes > 0) return;
  terminalOutputChunk(draft, { sessionUpdate: 'terminal_output_chunk', terminalId, data });
}

function newTerminal(terminalId: string): ConversationTerminal {
  return {
    terminalId,
    command: null,
    cwd: null,
    bytes: '',
    droppedBytes: 0,
    exitStatus: null,
    size: null,
    capabilities: null,
    meta: null,
  };
}
