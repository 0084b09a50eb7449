import type { Conversation, Terminal } from '../model/conversation.ts';
import { equal, freeze } from './equal.ts';
import { OutputTail } from './output-tail.ts';
import { VersionedList } from './versioned-list.ts';

type Terminals = Conversation['terminals'];

/**
 * The terminals, changed in place. What they print waits until somebody looks: put in piece by piece, a long output
 * would be copied for each of its pieces.
 */
export class TerminalList {
  readonly #terminals: VersionedList<Terminal>;
  readonly #places: Map<string, number>;
  readonly #printing = new Map<string, OutputTail>();
  /** A reader of the terminals, until one of them changes. */
  #shared: (() => Terminals) | undefined;

  constructor(terminals: Terminals) {
    this.#terminals = new VersionedList(Object.values(terminals));
    this.#places = new Map(Object.keys(terminals).map((terminalId, place) => [terminalId, place]));
    this.#shared = () => terminals;
  }

  has(terminalId: string): boolean {
    return this.#places.has(terminalId);
  }

  find(terminalId: string): Terminal | undefined {
    this.#settle(terminalId);
    return this.#find(terminalId);
  }

  /** Puts a terminal in the place of what is known of it. Returns whether that says anything new. */
  put(terminal: Terminal): boolean {
    const { terminalId } = terminal;
    this.#printing.delete(terminalId);
    if (equal(this.#find(terminalId), terminal)) return false;
    freeze(terminal);
    const place = this.#places.get(terminalId);
    if (place === undefined) this.#places.set(terminalId, this.#terminals.append(terminal));
    else this.#terminals.replace(place, terminal);
    this.#shared = undefined;
    return true;
  }

  /** More bytes of a known terminal. */
  print(terminalId: string, bytes: string): void {
    let tail = this.#printing.get(terminalId);
    if (!tail) {
      const terminal = this.#find(terminalId);
      if (!terminal) return;
      tail = new OutputTail(terminal);
      this.#printing.set(terminalId, tail);
    }
    tail.push(bytes);
  }

  /** A reader of the terminals as they are now: of the same object as last time if none changed. */
  share(): () => Terminals {
    for (const terminalId of this.#printing.keys()) this.#settle(terminalId);
    this.#shared ??= once(this.#terminals.share());
    return this.#shared;
  }

  #find(terminalId: string): Terminal | undefined {
    const place = this.#places.get(terminalId);
    return place === undefined ? undefined : this.#terminals.at(place);
  }

  #settle(terminalId: string): void {
    const tail = this.#printing.get(terminalId);
    const terminal = this.#find(terminalId);
    if (tail && terminal) this.put({ ...terminal, ...tail.read() });
  }
}

/** The record of what a reader reads, made when it is read first. */
function once(read: () => readonly Terminal[]): () => Terminals {
  let record: Terminals | undefined;
  return () => {
    // Object.fromEntries defines its keys, so that a terminal named __proto__ stays data.
    record ??= Object.freeze(Object.fromEntries(read().map((terminal) => [terminal.terminalId, terminal])));
    return record;
  };
}
