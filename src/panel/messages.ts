import type { MirrorMessage } from '../conversation/publish.ts';
import type { PanelProblem, PanelQuestion, SentState } from './state.ts';

/** The version of the messages. Ends of different versions do not understand each other, and say so. */
export const panelVersion = 1;

/** What every message of a page has. `page` is an id that the page chooses when it is loaded. */
interface FromPage {
  readonly panel: typeof panelVersion;
  readonly page: string;
}

/** From the page to the host. */
export type PageMessage =
  /** Asks for everything. `edit` is the number of changes that the page has made to the draft. */
  | (FromPage & { readonly type: 'hello'; readonly edit: number })
  /** The mirror lost a message. */
  | (FromPage & { readonly type: 'resend'; readonly sessionId: string })
  /** Asks for an action. The ids of a page grow. */
  | (FromPage & {
      readonly type: 'call';
      readonly id: number;
      readonly action: string;
      readonly params: Readonly<Record<string, unknown>>;
    })
  | (FromPage & { readonly type: 'draft'; readonly text: string; readonly edit: number });

/** What every message of a host has. `run` is an id that the host chooses when it starts. */
interface FromHost {
  readonly panel: typeof panelVersion;
  readonly run: string;
  /** The page that the message is for. `null`: for a page that has not said hello to this run. */
  readonly page: string | null;
}

/** A part of the conversation. */
export interface ConversationPart {
  readonly sessionId: string;
  readonly message: MirrorMessage;
}

/** The state in a message: a question that the page has already is its id, so that each is sent once. */
export interface StatePart extends Omit<SentState, 'questions'> {
  readonly questions: readonly (PanelQuestion | string)[];
}

/** From the host to the page. */
export type HostMessage =
  | (FromHost & {
      readonly type: 'state';
      readonly state: StatePart;
      /** The last change of the draft that the host has from this page. */
      readonly edit: number;
      /** What changed in the conversation together with the state. */
      readonly conversation: ConversationPart | null;
    })
  | (FromHost & { readonly type: 'conversation'; readonly conversation: ConversationPart })
  | (FromHost & {
      readonly type: 'result';
      readonly id: number;
      readonly value: unknown;
      /** `null` if the action succeeded. */
      readonly error: PanelProblem | null;
    });

/** A random id. Not a secret. */
export function randomId(): string {
  const part = () => Math.random().toString(36).slice(2, 12);
  return `${Date.now().toString(36)}-${part()}${part()}`;
}
