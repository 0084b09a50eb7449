import type { PermissionOption, SessionInfo } from 'acp-client-sdk';
import type { MirrorMessage } from 'acp-client-sdk/conversation';

/** A permission request that waits for the user. */
export interface Question {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly options: readonly PermissionOption[];
}

/** What the panel shows besides the conversation. It is small, so the host sends all of it after each change. */
export interface PanelState {
  readonly phase: 'connecting' | 'open' | 'reconnecting' | 'closed';
  readonly agentName: string;
  readonly sessions: readonly SessionInfo[];
  /** The session that is shown. */
  readonly sessionId: string | null;
  /** How many updates of the history have arrived; `null` if no session is being loaded. */
  readonly loadedUpdates: number | null;
  /** The questions of the session that is shown. */
  readonly questions: readonly Question[];
  /** The last error. */
  readonly problem: string | null;
}

/** From the host to the webview. */
export type HostMessage =
  | { readonly type: 'state'; readonly state: PanelState }
  | { readonly type: 'conversation'; readonly sessionId: string; readonly message: MirrorMessage }
  /** The agent did not accept the prompt. The text returns to the input. */
  | { readonly type: 'promptRefused'; readonly text: string };

/** From the webview to the host. */
export type WebviewMessage =
  /** The webview was loaded, for the first time or again. */
  | { readonly type: 'ready' }
  /** The mirror lost a message. */
  | { readonly type: 'resend' }
  | { readonly type: 'newSession' }
  | { readonly type: 'openSession'; readonly sessionId: string }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'answer'; readonly id: number; readonly optionId: string }
  | { readonly type: 'change'; readonly settingId: string; readonly value: string | boolean }
  | { readonly type: 'connect' }
  | { readonly type: 'dismiss' };
