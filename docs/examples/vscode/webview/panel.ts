import { type ConversationMirror, createConversationMirror } from 'acp-client-sdk/conversation';
import type { HostMessage, PanelState, WebviewMessage } from '../src/messages.ts';

/** The API of VS Code in a webview. */
interface VsCodeApi {
  postMessage(message: WebviewMessage): void;
  getState(): { readonly draft: string } | undefined;
  setState(state: { readonly draft: string }): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

/** What is shown. A new object after each change. */
export interface Panel {
  readonly state: PanelState;
  /** The conversation that is shown; a copy of the one in the host. */
  readonly mirror: ConversationMirror | null;
  /** The text in the input. */
  readonly draft: string;
}

const vscode = acquireVsCodeApi();
const listeners = new Set<() => void>();
let panel: Panel | null = null;

export const send = (message: WebviewMessage): void => vscode.postMessage(message);

// For `useSyncExternalStore`.
export const getPanel = (): Panel | null => panel;
export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Keeps the text, also while the view is hidden. */
export function setDraft(draft: string): void {
  vscode.setState({ draft });
  if (panel) change({ ...panel, draft });
}

/** Receives the messages of the host, and asks for everything. */
export function start(): void {
  window.addEventListener('message', ({ data }: MessageEvent<HostMessage>) => run(data.type, data));
  send({ type: 'ready' });
}

const actions: { readonly [K in HostMessage['type']]: (message: Extract<HostMessage, { type: K }>) => void } =
  {
    state({ state }) {
      const { sessionId } = state;
      const isSame = sessionId === (panel?.state.sessionId ?? null);
      const mirror = isSame ? (panel?.mirror ?? newMirror(sessionId)) : newMirror(sessionId);
      change({ state, mirror, draft: panel?.draft ?? vscode.getState()?.draft ?? '' });
    },
    conversation({ sessionId, message }) {
      if (sessionId === panel?.state.sessionId) panel.mirror?.receive(message);
    },
    promptRefused({ text }) {
      if (panel?.draft === '') setDraft(text);
    },
  };

function run<K extends HostMessage['type']>(type: K, message: HostMessage): void {
  // The table is keyed by the type of the message.
  actions[type](message as Extract<HostMessage, { type: K }>);
}

function newMirror(sessionId: string | null): ConversationMirror | null {
  return sessionId === null
    ? null
    : createConversationMirror(sessionId, { requestResend: () => send({ type: 'resend' }) });
}

function change(next: Panel): void {
  panel = next;
  for (const listener of listeners) listener();
}
