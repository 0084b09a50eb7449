import { type Conversation, plainText } from 'acp-client-sdk/conversation';
import type { PanelState } from 'acp-client-sdk/panel';

interface Props {
  readonly state: PanelState;
  readonly conversation: Conversation;
}

/** The title and the folder of the session that is shown. */
export function SessionHeader({ state: { sessions, sessionId }, conversation: { info } }: Props) {
  const listed = sessions.find((session) => session.sessionId === sessionId);
  return (
    <header>
      <div>
        <h2>{plainText(info.title ?? 'New session')}</h2>
        <small>{plainText(listed?.cwd ?? '')}</small>
      </div>
    </header>
  );
}
