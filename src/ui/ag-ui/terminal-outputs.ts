import type { AGUIEvent, JsonPatchOperation } from '@ag-ui/client';
import { findTerminal } from '../../core/conversation/select.ts';
import type { Conversation, ConversationTerminal } from '../../core/model/conversation.ts';
import type { TerminalActivity } from './activities.ts';
import { activityDelta } from './event.ts';
import { terminalOutput } from './tool-call.ts';

/** An item of the output of a tool call that shows a terminal. */
interface Place {
  readonly activityId: string;
  readonly index: number;
}

interface Shown {
  /** As it was last put. */
  terminal: ConversationTerminal;
  /** The output since then. */
  readonly added: string[];
}

/** The terminals of a turn, and where tool calls show them. */
export class TerminalOutputs {
  readonly #shown = new Map<string, Shown>();
  readonly #places = new Map<string, Place[]>();
  readonly #start: Conversation | undefined;

  /** @param start - The conversation at the start of the turn. `undefined` if it is not known. */
  constructor(start: Conversation | undefined) {
    this.#start = start;
  }

  /** Adds a terminal or changes what is known of it. */
  put(terminal: ConversationTerminal): readonly AGUIEvent[] {
    this.#shown.set(terminal.terminalId, { terminal, added: [] });
    return this.#show(terminal.terminalId);
  }

  /** Appends output. */
  append(terminalId: string, text: string): readonly AGUIEvent[] {
    const shown = this.#known(terminalId);
    if (!shown || text === '') return [];
    shown.added.push(text);
    return this.#patched(terminalId, ({ index }) => [
      { op: 'add', path: `/output/${index}/output/-`, value: text },
    ]);
  }

  /** An item of the output of a tool call shows a terminal. */
  place(terminalId: string, place: Place): void {
    const places = this.#places.get(terminalId);
    if (places) places.push(place);
    else this.#places.set(terminalId, [place]);
  }

  /** A tool call does not show what it has shown. */
  clear(activityId: string): void {
    for (const [terminalId, places] of this.#places) {
      const left = places.filter((place) => place.activityId !== activityId);
      this.#places.set(terminalId, left);
    }
  }

  /** Joins the texts of each output, as a conversation has them. */
  finish(): readonly AGUIEvent[] {
    return [...this.#shown].flatMap(([terminalId, { added }]) =>
      added.length === 0 ? [] : this.#show(terminalId),
    );
  }

  #known(terminalId: string): Shown | undefined {
    const known = this.#shown.get(terminalId);
    if (known) return known;
    const terminal = this.#start && findTerminal(this.#start, terminalId);
    if (!terminal) return undefined;
    const shown = { terminal, added: [] };
    this.#shown.set(terminalId, shown);
    return shown;
  }

  /** What a tool call shows of a terminal. */
  output(terminalId: string): TerminalActivity {
    const { terminal, added = [] } = this.#known(terminalId) ?? {};
    return terminalOutput(terminalId, terminal, (terminal?.output ?? '') + added.join(''));
  }

  #show(terminalId: string): readonly AGUIEvent[] {
    const value = this.output(terminalId);
    return this.#patched(terminalId, ({ index }) => [{ op: 'replace', path: `/output/${index}`, value }]);
  }

  #patched(terminalId: string, patch: (place: Place) => JsonPatchOperation[]): readonly AGUIEvent[] {
    const places = this.#places.get(terminalId) ?? [];
    return places.flatMap((place) => activityDelta(place.activityId, 'acp.toolCall', patch(place)));
  }
}
