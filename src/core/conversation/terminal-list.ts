import { utf8Length } from '../base/utf8-length.ts';
import type { Conversation, ConversationTerminal } from '../model/conversation.ts';
import { equal, freeze } from './equal.ts';
import { recordGrowth } from './growth.ts';
import type { MetaDraft } from './meta.ts';
import { type Output, OutputTail, withOutput } from './output-tail.ts';

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
  /** The outputs whose length is known, by terminal. */
  readonly #lengths = new Map<string, { readonly output: string; readonly bytes: number }>();
  /** Bytes of output of the terminals of the client, without what is still collected. Counted when it is asked for. */
  #clientBytes: number | undefined;
  /** The latest snapshot; `undefined` if a terminal changed since. */
  #snapshot: Terminals | undefined;

  readonly #metas: MetaDraft;
  /** Ids of terminals that are frozen with the next snapshot, because their metadata is open. */
  readonly #withOpenMeta = new Set<string>();

  constructor(terminals: Terminals, metas: MetaDraft) {
    this.#metas = metas;
    this.#terminals = new Map(Object.entries(terminals));
    this.#snapshot = terminals;
  }

  /** Who runs a terminal. Unlike `get`, it does not join the collected output. */
  ownerOf(terminalId: string): ConversationTerminal['owner'] | undefined {
    return this.#terminals.get(terminalId)?.owner;
  }

  /** The commands of the client that have ended and whose output is over the limit, the oldest first. */
  beyondLimit(): readonly ConversationTerminal[] {
    for (const terminalId of this.#output.keys()) this.#flush(terminalId);
    const beyond: ConversationTerminal[] = [];
    if (this.#clientBytes === undefined) {
      this.#clientBytes = 0;
      for (const terminal of this.#terminals.values()) this.#clientBytes += this.#clientBytesOf(terminal);
    }
    let excess = this.#clientBytes - maxClientOutputBytes;
    if (excess <= 0) return beyond;
    for (const terminal of this.#terminals.values()) {
      const bytes = this.#clientBytesOf(terminal);
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

  /**
   * Adds or replaces a terminal. Returns `false` if it is equal to the one before.
   *
   * @param bytes - Length of the output, if it is known.
   */
  put(terminal: ConversationTerminal, bytes?: number): boolean {
    const { terminalId, output } = terminal;
    this.#output.delete(terminalId);
    const before = this.#terminals.get(terminalId);
    if (equal(before, terminal)) return false;
    if (this.#clientBytes !== undefined && before) this.#clientBytes -= this.#clientBytesOf(before);
    if (bytes !== undefined) this.#lengths.set(terminalId, { output, bytes });
    if (this.#clientBytes !== undefined) this.#clientBytes += this.#clientBytesOf(terminal);
    if (this.#metas.isOpen(terminal.meta)) this.#withOpenMeta.add(terminalId);
    else freeze(terminal);
    this.#terminals.set(terminalId, terminal);
    this.#snapshot = undefined;
    return true;
  }

  /** Collects output of a terminal. `undefined` for an unknown one. */
  tailOf(terminalId: string): OutputTail | undefined {
    let tail = this.#output.get(terminalId);
    const terminal = this.#terminals.get(terminalId);
    if (!tail && terminal) {
      tail = new OutputTail(this.#outputOf(terminal));
      this.#output.set(terminalId, tail);
    }
    return tail;
  }

  /** Length of the output of a terminal, in bytes of UTF-8. Output that is known is not counted again. */
  bytesOf({ terminalId, output }: ConversationTerminal): number {
    const known = this.#lengths.get(terminalId);
    if (known?.output === output) return known.bytes;
    const bytes = utf8Length(output);
    this.#lengths.set(terminalId, { output, bytes });
    return bytes;
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
    const tail = this.#output.get(terminalId);
    const terminal = this.#terminals.get(terminalId);
    if (!tail || !terminal) return;
    const output = tail.read();
    const grown = withOutput(terminal, output);
    recordGrowth(terminal, grown, terminal.output.length, tail.added);
    this.put(grown, output.bytes);
  }

  #outputOf(terminal: ConversationTerminal): Output {
    const { output: text, droppedBytes, incompleteBytes: incomplete = [] } = terminal;
    return { text, bytes: this.bytesOf(terminal), droppedBytes, incomplete };
  }

  /** The bytes of output of a terminal that the client runs. */
  #clientBytesOf(terminal: ConversationTerminal): number {
    return terminal.owner === 'client' ? this.bytesOf(terminal) : 0;
  }
}
