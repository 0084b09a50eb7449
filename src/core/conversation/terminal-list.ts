import { utf8Length } from '../base/utf8-length.ts';
import type { Conversation, ConversationTerminal } from '../model/conversation.ts';
import { equal, freeze } from './equal.ts';
import { recordGrowth } from './growth.ts';
import type { MetaDraft } from './meta.ts';
import { OutputTail, withOutput } from './output-tail.ts';

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
    const ofClient = [...this.#terminals.values()].filter(({ owner }) => owner === 'client');
    let excess = ofClient.reduce((bytes, each) => bytes + this.bytesOf(each), -maxClientOutputBytes);
    return ofClient.filter((terminal) => {
      const isBeyond = excess > 0 && terminal.exitStatus !== null && terminal.output !== '';
      if (isBeyond) excess -= this.bytesOf(terminal);
      return isBeyond;
    });
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
    if (equal(this.#terminals.get(terminalId), terminal)) return false;
    if (bytes !== undefined) this.#lengths.set(terminalId, { output, bytes });
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
      const { output: text, droppedBytes, incompleteBytes: incomplete = [] } = terminal;
      tail = new OutputTail({ text, bytes: this.bytesOf(terminal), droppedBytes, incomplete });
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
}
