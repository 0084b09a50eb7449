import { isJsonObject } from '../../core/base/json.ts';
import type { PanelProblem } from './state.ts';
import type { ConversationPart, StatePart } from './whole-state.ts';

/** The version of the messages. Ends of different versions do not understand each other, and say so. */
export const panelVersion = 6;
export const otherVersionText =
  'The page and its host are of different versions of the panel. Load the page again.';

/**
 * What every message of a host has. `page`: for whom it is; `null`: the host knows no page. `run`: the id that the host
 * has chosen for this page. `draft`: the number of the last draft of the page that the host has taken.
 */
interface FromHost {
  readonly panel: typeof panelVersion;
  readonly page: string | null;
  readonly run: string;
  readonly draft: number;
}

/** The result of the call with this number, or the error of the draft with this number. */
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
  /** The last question for everything that the host knew: a whole state that comes late is known by it. */
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
 * From the host to the page. `ask` asks whether the page has the last change, whose number is `sent`. It also answers the
 * same question of the page, and announces the host to a page that it does not know.
 */
export type HostMessage = (FromHost & { readonly type: 'ask'; readonly sent: number }) | (FromHost & Change);

/**
 * Reads a message of the host. `version`: it is of another version. `null`: it is not a message of a host. Never
 * throws.
 */
export function readHostMessage(message: unknown): HostMessage | 'version' | null {
  try {
    const data: unknown = typeof message === 'string' ? JSON.parse(message) : message;
    if (!isJsonObject(data) || typeof data['panel'] !== 'number' || typeof data['run'] !== 'string')
      return null;
    // A page trusts its host, which is of the same version: what does not fit is found where it is applied.
    return data['panel'] === panelVersion ? (data as unknown as HostMessage) : 'version';
  } catch {
    return null;
  }
}

/** A random id. */
export function randomId(): string {
  // `randomUUID` is missing in a page that was loaded over plain HTTP.
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
