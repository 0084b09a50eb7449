import type { Conversation, Terminal } from '../model/conversation.ts';
import { equal, freeze } from './equal.ts';
import { OutputTail } from './output-tail.ts';

/**
 * The terminals, changed in place. What they print waits until somebody looks: put in piece by piece, a long output
 * would be copied for each of its pieces.
 */
export class TerminalList {
  readonly #terminals: Map<string, Terminal>;
  readonly #printing = new Map<string, OutputTail>();
  #record: Conversation['terminals'];
  #changed = false;

  constructor(terminals: Conversation['terminals']) {
    this.#terminals = new Map(Object.entries(terminals));
    this.#record = terminals;
  }

  has(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  find(terminalId: string): Terminal | undefined {
    this.#settle(terminalId);
    return this.#terminals.get(terminalId);
  }

  /** Puts a terminal in the place of what is known of it. Returns whether that says anything new. */
  put(terminal: Terminal): boolean {
    const { terminalId } = terminal;
    this.#printing.delete(terminalId);
    if (equal(this.#terminals.get(terminalId), terminal)) return false;
    this.#terminals.set(terminalId, freeze(terminal));
    this.#changed = true;
    return true;
  }

  /** More bytes of a known terminal. */
  print(terminalId: string, bytes: string): void {
    let tail = this.#printing.get(terminalId);
    if (!tail) {
      const terminal = this.#terminals.get(terminalId);
      if (!terminal) return;
      tail = new OutputTail(terminal);
      this.#printing.set(terminalId, tail);
    }
    tail.push(bytes);
  }

  /** The terminals as they are now: the same object as last time if none changed. */
  share(): Conversation['terminals'] {
    for (const terminalId of this.#printing.keys()) this.#settle(terminalId);
    if (this.#changed) {
      // Object.fromEntries defines its keys, so that a terminal named __proto__ stays data.
      this.#record = Object.freeze(Object.fromEntries(this.#terminals));
      this.#changed = false;
    }
    return this.#record;
  }

  #settle(terminalId: string): void {
    const tail = this.#printing.get(terminalId);
    const terminal = this.#terminals.get(terminalId);
    if (tail && terminal) this.put({ ...terminal, ...tail.read() });
  }
}
