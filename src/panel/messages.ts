import type { PanelProblem } from './state.ts';
import type { ConversationPart, StatePart } from './whole-state.ts';

/** The version of the messages. Ends of different versions do not understand each other, and say so. */
export const panelVersion = 4;
export const otherVersionText =
  'The page and its host are of different versions of the panel. Load the page again.';

/** How long a message of a page may be, if the host says nothing else: see `limits` of `PanelOptions`. */
export const defaultMessageCharacters = 32 * 1024 * 1024;

/**
 * What every message of a host has. `page: null`: it is for any page, to announce the host.
 *
 * The calls and drafts of a page are numbered from 1, and so are the changes of the host: a channel can lose, repeat and
 * reorder messages, and each end can say what it has.
 */
interface FromHost {
  readonly panel: typeof panelVersion;
  readonly page: string | null;
  readonly run: string;
  /** The number of the last message of the page that the host has taken. 0: none. */
  readonly have: number;
  /** The number of the last message of the host. */
  readonly sent: number;
}

/** The result of the call with this number. */
export interface CallResult {
  readonly number: number;
  readonly value: unknown;
  /** `null` if the action succeeded. */
  readonly error: PanelProblem | null;
}

/** What changed, together: a result comes with what its action changed. */
export interface Change {
  readonly type: 'change';
  readonly number: number;
  /** The number of the change before this one. 0: this one has everything. */
  readonly base: number;
  /** The last question of the page that the host knew: a whole state that comes late is known by it. */
  readonly answers: number;
  /** The maximum length of a message of the page, in characters. */
  readonly maxCharacters: number;
  /** `null`: not changed. */
  readonly state: StatePart | null;
  /** `null`: not changed, or no session is shown. */
  readonly conversation: ConversationPart | null;
  readonly results: readonly CallResult[];
}

/**
 * From the host to the page. `ask` and `have` are as those of a page. The next change follows when one is acknowledged,
 * and drawn if nothing in the next one is urgent.
 */
export type HostMessage = (FromHost & { readonly type: 'ask' | 'have' }) | (FromHost & Change);

/** A random id. Not a secret. */
export function randomId(): string {
  const part = () => Math.random().toString(36).slice(2, 12);
  return `${Date.now().toString(36)}-${part()}${part()}`;
}
