import { utf8Length } from '../base/utf8-length.ts';
import type {
  TerminalExited,
  TerminalOutputReported,
  TerminalPrinted,
  TerminalRead,
  TerminalStarted,
} from '../model/client-update.ts';
import type { ConversationTerminal, ToolCallEntry } from '../model/conversation.ts';
import { isToolCallFinished } from '../model/tool-call.ts';
import type { TerminalOutputChunk, TerminalUpdate } from '../model/update.ts';
import { decodeBase64 } from './base64.ts';
import { carried, type Draft } from './draft.ts';
import { wholeOutput, withOutput } from './output-tail.ts';
import { decodeUtf8, positionOf, wellFormed } from './utf8.ts';

/** Changes or adds a terminal of the agent. A command that begins under the id of one that has ended is another one. */
export function terminalUpdate(draft: Draft, update: TerminalUpdate): void {
  if (draft.terminals.ownerOf(update.terminalId) === 'client') return;
  if (update.command && !update.exitStatus && draft.terminals.get(update.terminalId)?.exitStatus)
    keepOutput(draft, update.terminalId);
  const terminal = draft.terminals.get(update.terminalId) ?? newTerminal(update.terminalId);
  draft.putTerminal({
    ...(update.output === undefined ? terminal : withData(terminal, update.output?.data)),
    ...carried(update, ['command', 'cwd', 'exitStatus', 'size', 'capabilities']),
    meta: draft.patchMeta(terminal.meta, update._meta),
  });
}

/** A terminal with the output that an update has in base64. `undefined` removes the output; what is no base64 keeps it. */
function withData(terminal: ConversationTerminal, data: string | undefined): ConversationTerminal {
  if (data === undefined) return withOutput(terminal, wholeOutput(''));
  const bytes = decodeBase64(data);
  if (!bytes) return terminal;
  const { text, incomplete } = decodeUtf8([], bytes);
  return withOutput(terminal, wholeOutput(text, 0, incomplete));
}

/**
 * Appends output to a terminal of the agent. Each chunk is base64 by itself; a character may be split between chunks.
 */
export function terminalOutputChunk(draft: Draft, { terminalId, data }: TerminalOutputChunk): void {
  const owner = draft.terminals.ownerOf(terminalId);
  if (owner === 'client') return;
  if (owner === undefined) draft.putTerminal(newTerminal(terminalId));
  const bytes = decodeBase64(data);
  if (bytes) draft.appendBytes(terminalId, bytes);
}

/** Appends the output of a command that has ended to its terminal, if nothing of it was sent before. */
export function terminalOutputReported(draft: Draft, { terminalId, data }: TerminalOutputReported): void {
  const terminal = draft.terminals.get(terminalId);
  if (terminal && (terminal.output !== '' || terminal.incompleteBytes)) return;
  terminalOutputChunk(draft, { sessionUpdate: 'terminal_output_chunk', terminalId, data });
}

/** Adds a terminal of the client, or replaces the one that had its id. */
export function terminalStarted(draft: Draft, { terminalId, command, argv, cwd }: TerminalStarted): void {
  draft.dropOldOutput();
  draft.putTerminal({ ...newTerminal(terminalId), owner: 'client', command, argv, cwd });
}

/** Appends output to a terminal of the client. */
export function terminalPrinted(draft: Draft, { terminalId, text }: TerminalPrinted): void {
  if (draft.terminals.ownerOf(terminalId) === 'client') draft.appendText(terminalId, wellFormed(text));
}

/**
 * Sets the output of a terminal of the client. A truncated output is the end of at least as many bytes as the terminal
 * had.
 */
export function terminalRead(draft: Draft, { terminalId, output, truncated }: TerminalRead): void {
  const terminal = draft.terminals.get(terminalId);
  if (terminal?.owner !== 'client') return;
  const text = wellFormed(output);
  if (truncated) {
    const printedBytes = terminal.droppedBytes + draft.terminals.bytesOf(terminal);
    const droppedBytes = Math.max(1, printedBytes - utf8Length(text));
    draft.putTerminal(withOutput(terminal, wholeOutput(text, droppedBytes)));
    return;
  }
  const start = positionOf(text, terminal.droppedBytes).index;
  const end = start + terminal.output.length;
  if (text.slice(start, end) === terminal.output) draft.appendText(terminalId, text.slice(end));
  else draft.putTerminal(withOutput(terminal, wholeOutput(text)));
}

/** Sets how the command of a terminal of the client ended. */
export function terminalExited(draft: Draft, { terminalId, exitStatus }: TerminalExited): void {
  const terminal = draft.terminals.get(terminalId);
  if (terminal?.owner === 'client') draft.putTerminal({ ...terminal, exitStatus });
}

/**
 * Keeps what a tool call that has ended shows of the terminal with its id, which the agent uses again for another call. It
 * is a terminal of its own from now on.
 */
export function keepOutput(draft: Draft, id: string): void {
  const index = draft.entries.index.findId('tool', id);
  const entry = index === undefined ? undefined : draft.entry(index);
  const terminal = draft.terminals.get(id);
  if (index === undefined || entry?.kind !== 'toolCall' || terminal?.owner !== 'agent') return;
  if (!isToolCallFinished(entry.status) || (terminal.output === '' && !terminal.exitStatus)) return;
  draft.putTerminal({ ...terminal, terminalId: entry.key });
  draft.putTerminal(newTerminal(id));
  draft.replace(index, showing(entry, id, entry.key));
}

/** A tool call that shows a terminal under another id. */
export function showing(entry: ToolCallEntry, from: string, to: string): ToolCallEntry {
  const content = entry.content.map((item) =>
    item.type === 'terminal' && item.terminalId === from ? { ...item, terminalId: to } : item,
  );
  return { ...entry, content };
}

function newTerminal(terminalId: string): ConversationTerminal {
  return {
    terminalId,
    owner: 'agent',
    command: null,
    argv: null,
    cwd: null,
    output: '',
    droppedBytes: 0,
    exitStatus: null,
    size: null,
    capabilities: null,
    meta: null,
  };
}
