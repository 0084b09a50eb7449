import type { Conversation, ConversationTerminal } from '../model/conversation.ts';
import { equal, freeze } from './equal.ts';
import { recordGrowth } from './growth.ts';
import type { MetaDraft } from './meta.ts';
import { OutputTail } from './output-tail.ts';

type Terminals = Conversation['terminals'];

/**
 * Maximum output of all commands of the client in a conversation, in bytes, beside that of the commands that run. An
 * agent can have the client run any number of commands that print without end.
 */
export const maxClientOutputBytes = 64 * 1024 * 1024;

/**
 * The terminals of a draft. Output is collected beside its terminal until the terminal is read, so that a long output
 * is not copied for each of its chunks.
 */
export class TerminalList {
  readonly #terminals: Map<string, ConversationTerminal>;
  readonly #output = new Map<string, OutputTail>();
  /** Bytes of output of the terminals of the client, without what is still collected. */
  #clientBytes = 0;
  /** The latest snapshot; `undefined` if a terminal changed since. */
  #snapshot: Terminals | undefined;

  readonly #metas: MetaDraft;
  /** Ids of terminals that are frozen with the next snapshot, because their metadata is open. */
  readonly #withOpenMeta = new Set<string>();

  constructor(terminals: Terminals, metas: MetaDraft) {
    this.#metas = metas;
    this.#terminals = new Map(Object.entries(terminals));
    this.#snapshot = terminals;
    for (const terminal of this.#terminals.values()) this.#clientBytes += clientBytes(terminal);
  }

  /** Who runs a terminal. Unlike `get`, it does not join the collected output. */
  ownerOf(terminalId: string): ConversationTerminal['owner'] | undefined {
    return this.#terminals.get(terminalId)?.owner;
  }

  /** The commands of the client that have ended and whose output is over the limit, the oldest first. */
  beyondLimit(): readonly ConversationTerminal[] {
    for (const terminalId of this.#output.keys()) this.#flush(terminalId);
    const beyond: ConversationTerminal[] = [];
    let excess = this.#clientBytes - maxClientOutputBytes;
    if (excess <= 0) return beyond;
    for (const terminal of this.#terminals.values()) {
      const bytes = clientBytes(terminal);
      if (bytes === 0 || terminal.exitStatus === null) continue;
      beyond.push(terminal);
      excess -= bytes;
      if (excess <= 0) break;
    }
    return beyond;
  }

  get(terminalId: string): ConversationTerminal | undefined {
    this.#flush(terminalId);
    return this.#terminals.get(terminalId);
  }

  /** Adds or replaces a terminal. Returns `false` if it is equal to the one before. */
  put(terminal: ConversationTerminal): boolean {
    const { terminalId } = terminal;
    this.#output.delete(terminalId);
    const before = this.#terminals.get(terminalId);
    if (equal(before, terminal)) return false;
    this.#clientBytes += clientBytes(terminal) - clientBytes(before);
    if (this.#metas.isOpen(terminal.meta)) this.#withOpenMeta.add(terminalId);
    else freeze(terminal);
    this.#terminals.set(terminalId, terminal);
    this.#snapshot = undefined;
    return true;
  }

  /** Appends output to a terminal. Ignores an unknown one. */
  append(terminalId: string, bytes: string): void {
    let output = this.#output.get(terminalId);
    if (!output) {
      const terminal = this.#terminals.get(terminalId);
      if (!terminal) return;
      output = new OutputTail(terminal);
      this.#output.set(terminalId, output);
    }
    output.push(bytes);
  }

  /** A frozen copy of the terminals. The same object until a terminal changes. */
  snapshot(): Terminals {
    for (const terminalId of this.#output.keys()) this.#flush(terminalId);
    for (const terminalId of this.#withOpenMeta) freeze(this.#terminals.get(terminalId));
    this.#withOpenMeta.clear();
    // Object.fromEntries defines its keys, so that a terminal named __proto__ stays data.
    this.#snapshot ??= Object.freeze(Object.fromEntries(this.#terminals));
    return this.#snapshot;
  }

  /** Moves the collected output into the terminal. */
  #flush(terminalId: string): void {
    const output = this.#output.get(terminalId);
    const terminal = this.#terminals.get(terminalId);
    if (!output || !terminal) return;
    const grown = { ...terminal, ...output.read() };
    recordGrowth(terminal, grown, terminal.droppedBytes + terminal.bytes.length, output.added);
    this.put(grown);
  }
}

/** The bytes of output of a terminal that the client runs. */
function clientBytes(terminal: ConversationTerminal | undefined): number {
  return terminal?.owner === 'client' ? terminal.bytes.length : 0;
}
