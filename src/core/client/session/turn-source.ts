import type { Session } from './session.ts';
import type { PromptTurn } from './turn.ts';

/** Where a turn belongs. */
export interface TurnSource {
  readonly session: Session;
  /**
   * The key of the prompt's entry. The id of the message in the queue until it is sent. `undefined`: the prompt was
   * refused.
   */
  key(): string | undefined;
}

const sources = new WeakMap<PromptTurn, TurnSource>();

/** Remembers where a turn belongs, for what shows a turn with the conversation around it. */
export function registerTurn(turn: PromptTurn, source: TurnSource): void {
  sources.set(turn, source);
}

/** Where a turn belongs. */
export function sourceOfTurn(turn: PromptTurn): TurnSource {
  const source = sources.get(turn);
  if (source) return source;
  throw new TypeError('This is not a turn. Pass what session.prompt or session.queue returns.');
}
