import { onAbort } from '../../core/base/wait.ts';
import type { Session } from '../../core/client/session/session.ts';
import { firstLineOf } from './sessions.ts';

/** What a host does with the changes of the session that it shows. */
interface Followers {
  changed(): void;
  /** Its title in the list is another one. */
  renamed(): void;
  /** The agent did not open it again. */
  lost(error: unknown): void;
}

/** Tells of the changes of a session, until the returned function is called. */
export function followSession(session: Session, { changed, renamed, lost }: Followers): () => void {
  const over = new AbortController();
  let { info } = session.conversation;
  let firstLine = firstLineOf(session.conversation);
  const unsubscribe = session.store.subscribe(() => {
    changed();
    const { conversation } = session;
    const isNamed = firstLine !== null || firstLineOf(conversation) === null;
    if (info === conversation.info && isNamed) return;
    info = conversation.info;
    firstLine = firstLineOf(conversation);
    renamed();
  });
  void session.closed.then(({ reason, error }) => {
    if (!over.signal.aborted && reason === 'notRestored') lost(error);
  });
  onAbort(over.signal, unsubscribe);
  return () => over.abort();
}
