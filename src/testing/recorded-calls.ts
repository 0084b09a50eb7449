import { Session } from '../client/session.ts';
import { emptyConversation } from '../conversation/fold.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { ContentBlock } from '../model/content.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { decodeRecorded, recordedCaller } from './recorded-caller.ts';
import type { RecordedConnection } from './recorded-connection.ts';

/** Follows a call of the client's: what it changes once it was made, and once it was answered. */
type Follow = (
  connection: RecordedConnection,
  params: JsonObject,
  answer: Promise<unknown>,
  dialect: Dialect,
) => Promise<unknown>;

/** The calls that change a conversation, by their names on the wire. */
export const recordedCalls: Readonly<Record<string, Follow>> = {
  'session/new': (connection, _, answer, dialect) => begin(connection, 'newSession', answer, dialect),
  'session/fork': (connection, _, answer, dialect) => begin(connection, 'forkSession', answer, dialect),
  'session/load': (connection, params, answer, dialect) =>
    reopen(connection, params, answer, { dialect, name: 'loadSession', replays: true }),
  'session/resume': (connection, params, answer, dialect) => {
    const replays = isJsonObject(params['replayFrom']);
    return reopen(connection, params, answer, { dialect, name: 'resumeSession', replays });
  },
  'session/close': end,
  'session/delete': end,
  'session/prompt': onSession((session, { prompt }) =>
    // What was written was checked when it was written.
    session.prompt(prompt as unknown as readonly ContentBlock[]),
  ),
  'session/cancel': onSession((session) => session.cancel()),
  'session/set_mode': onSession((session, { modeId }) =>
    session.setMode(String(modeId), { allowUnsupported: true }),
  ),
  'session/set_config_option': onSession((session, { configId, value }) =>
    session.setConfigOption(String(configId), typeof value === 'boolean' ? value : String(value), {
      allowUnsupported: true,
    }),
  ),
};

function onSession(call: (session: Session, params: JsonObject) => Promise<unknown>): Follow {
  return async (connection, params, answer, dialect) => {
    const { live, state } = connection.sessionOf(String(params['sessionId']), dialect);
    // The agent refuses what is asked of a session that it closed, which changes nothing of what was said in it.
    if (state === 'closed') return;
    await call(
      Session.create(live, recordedCaller(dialect, answer), () => {}),
      params,
    );
  };
}

async function begin(
  connection: RecordedConnection,
  name: 'newSession' | 'forkSession',
  answer: Promise<unknown>,
  dialect: Dialect,
): Promise<void> {
  const opened = decodeRecorded(dialect, name, await answer);
  if (opened.sessionId === undefined) return;
  const session = connection.sessionOf(opened.sessionId, dialect);
  session.state = 'open';
  session.live.opened(opened);
}

async function reopen(
  connection: RecordedConnection,
  params: JsonObject,
  answer: Promise<unknown>,
  { dialect, name, replays }: { dialect: Dialect; name: 'loadSession' | 'resumeSession'; replays: boolean },
): Promise<void> {
  const sessionId = String(params['sessionId']);
  const isKnown = connection.knows(sessionId);
  const session = connection.sessionOf(sessionId, dialect);
  const { live } = session;
  const earlier = live.conversation;
  if (replays) {
    live.store.reset(emptyConversation(sessionId));
    live.replays++;
  }
  try {
    live.opened(decodeRecorded(dialect, name, await answer));
    session.state = 'open';
  } catch (error) {
    if (!isKnown) connection.forget(sessionId);
    else if (replays) live.store.reset(earlier);
    throw error;
  } finally {
    if (replays) live.replays--;
  }
}

async function end(
  connection: RecordedConnection,
  params: JsonObject,
  answer: Promise<unknown>,
  dialect: Dialect,
): Promise<void> {
  await answer;
  const sessionId = String(params['sessionId']);
  if (!connection.knows(sessionId)) return;
  const session = connection.sessionOf(sessionId, dialect);
  session.state = 'closed';
  session.live.questions.withdrawAll('closed');
  session.live.turns.end(undefined);
}
