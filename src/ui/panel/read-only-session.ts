import type { Session } from '../../core/client/session/session.ts';
import { refusedTurn } from '../../core/client/session/turn.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { panelError } from './panel-error.ts';

/** A saved session that is shown without an agent. */
export interface ReadOnlySession extends Session {
  /** Why it cannot be continued, or that this is not known yet. */
  readonly readOnly: string;
}

/** A session that can be read. What needs an agent is refused with the reason. */
export function readOnlySession(
  { sessionId, cwd }: Pick<Session, 'sessionId' | 'cwd'>,
  conversation: Conversation,
  readOnly: string,
): ReadOnlySession {
  const refusal = () => panelError('panel.read_only', `This session can only be read. ${readOnly}`);
  const refuse = async (): Promise<never> => {
    throw refusal();
  };
  const ignore = () => () => {};
  return {
    sessionId,
    cwd,
    readOnly,
    conversation,
    store: { getSnapshot: () => conversation, subscribe: ignore },
    replay: null,
    subagents: [],
    isClosed: true,
    // A session that was never open has no end.
    closed: new Promise(() => {}),
    prompt: () => refusedTurn(refusal()),
    queue: () => Object.assign(refusedTurn(refusal()), { id: '' }),
    steer: refuse,
    revoke: refuse,
    cancel: async () => {},
    changeSetting: refuse,
    setMode: refuse,
    setConfigOption: refuse,
    cancelToolCall: refuse,
    cancelTerminal: refuse,
    onNotice: ignore,
    onUpdate: ignore,
    onEvent: ignore,
    close: async () => {},
  };
}
