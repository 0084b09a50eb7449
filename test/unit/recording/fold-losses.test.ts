import { afterEach, describe, expect, test } from 'vitest';
import { ConnectionClosedError, HttpError, TimeoutError } from '../../../src/base/errors.ts';
import { connect } from '../../../src/client/connect.ts';
import type { ClientConnection } from '../../../src/client/connection.ts';
import type { Session } from '../../../src/client/session/session.ts';
import { playback } from '../../../src/recording/playback.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { dialectNames, everything, settle } from '../../support/agents.ts';
import {
  closeAll,
  cwd,
  endTurn,
  expectSame,
  live,
  loadMethod,
  params,
  says,
  works,
} from '../../support/recorded-session.ts';

afterEach(closeAll);

const error = new ConnectionClosedError('The server ended the stream.');
const lost = { type: 'sessionLost', sessionId: 's1', error, canReturn: true } as const;
const reconnect = { firstDelayMs: 1 };

/** Plays a recording to a client that creates a session and prompts. Resolves to why the prompt fails. */
async function promptAgain(recording: { readonly records: Parameters<typeof playback>[0] }, options: object) {
  const connection: ClientConnection = await connect(playback(recording.records), {
    clientInfo: { name: 'test', version: '0.0.0' },
    ...options,
  });
  const session: Session = await connection.newSession({ cwd });
  const failure = await session.prompt('Delete it.').catch((reason: unknown) => reason);
  return { connection, session, failure };
}

describe.each(dialectNames)('a session that is lost on a channel that goes on (%s)', (dialect) => {
  test('is opened again with a gap entry, and its recording folds to the conversation', async () => {
    const run = await live(
      everything[dialect],
      (agent) => agent.on('session/prompt', works(dialect)).on('session/resume', {}),
      { reconnect },
    );
    const [agent] = run.agents;
    const session = await run.connection.newSession({ cwd });
    const turn = session.prompt('Delete it.');
    const { id = -1 } = (await agent?.called('session/prompt')) ?? {};
    await settle();
    run.channels[0]?.fail(lost);
    run.channels[0]?.fail({ type: 'callFailed', id, error });
    await expect(turn).rejects.toThrow('The session is being opened again.');
    await agent?.called('session/resume');
    await settle();
    expect(session.conversation.entries.at(-1)).toMatchObject({
      kind: 'turnFailure',
      cause: 'interrupted',
      reason: 'The server ended the stream.',
    });
    await expectSame(run, session);
    // The session works on.
    const again = session.prompt('Never mind.');
    const next = await agent?.called('session/prompt', 2);
    await settle();
    agent && endTurn(dialect, agent, next?.id);
    await again;
    await expectSame(run, session);
  });

  test('ends without reconnect, and its recording folds to the conversation', async () => {
    const run = await live(everything[dialect], (agent) => agent.on('session/prompt', works(dialect)));
    const [agent] = run.agents;
    const session = await run.connection.newSession({ cwd });
    const turn = session.prompt('Delete it.');
    await agent?.called('session/prompt');
    await settle();
    run.channels[0]?.fail(lost);
    await expect(turn).rejects.toThrow('Load or resume the session to continue.');
    expect(await session.closed).toMatchObject({ reason: 'lost' });
    expect(run.connection.state).toBe('open');
    await expectSame(run, session);
  });

  test('ends in a playback as it did in the recording', async () => {
    const run = await live(everything[dialect], (agent) => agent.on('session/prompt', works(dialect)));
    const session = await run.connection.newSession({ cwd });
    const turn = session.prompt('Delete it.');
    await run.agents[0]?.called('session/prompt');
    await settle();
    run.channels[0]?.fail(lost);
    const failure = await turn.catch((reason: unknown) => reason);
    const again = await promptAgain(run.recording, {});
    expect(again.failure).toEqual(failure);
    expect(again.session.conversation).toEqual(session.conversation);
    await again.connection.close();
  });

  test('during a load keeps the conversation, and its recording folds to it', async () => {
    const run = await live(
      everything[dialect],
      (agent) =>
        agent.on('session/resume', {}).on(loadMethod(dialect), () => {
          agent.update('s1', says('Old.'));
          return noAnswer;
        }),
      { reconnect },
    );
    const [agent] = run.agents;
    const session = await run.connection.newSession({ cwd });
    const loading = run.connection.loadSession(params);
    const { id = -1 } = (await agent?.called(loadMethod(dialect))) ?? {};
    await settle();
    agent?.on('session/resume', {});
    run.channels[0]?.fail({ type: 'callFailed', id, error });
    run.channels[0]?.fail(lost);
    await expect(loading).rejects.toThrow('The server ended the stream.');
    await settle();
    expect(session.isClosed).toBe(false);
    await expectSame(run, session);
  });

  test('a prompt that the server refuses fails with its status, and the recording folds to the conversation', async () => {
    const run = await live(everything[dialect], (agent) => agent.on('session/prompt', () => noAnswer));
    const [agent] = run.agents;
    const session = await run.connection.newSession({ cwd });
    const turn = session.prompt('Delete it.');
    const { id = -1 } = (await agent?.called('session/prompt')) ?? {};
    const refusal = new HttpError('The server takes no requests now.', { status: 503, body: '' });
    run.channels[0]?.fail({ type: 'callFailed', id, error: refusal });
    const failure = await turn.catch((reason: unknown) => reason);
    expect(failure).toBe(refusal);
    const entry = { kind: 'turnFailure', cause: 'failed', reason: 'The server takes no requests now.' };
    // An agent of version 2 that did not take a prompt has not begun a turn.
    expect(session.conversation.entries.slice(1)).toMatchObject(dialect === 'v1' ? [entry] : []);
    await expectSame(run, session);
    const again = await promptAgain(run.recording, {});
    expect(again.failure).toMatchObject({ name: 'HttpError', status: 503, message: refusal.message });
    expect(again.session.conversation).toEqual(session.conversation);
    await again.connection.close();
  });

  test('a prompt that the server did not take in time folds to the conversation', async () => {
    const run = await live(everything[dialect], (agent) => agent.on('session/prompt', () => noAnswer));
    const session = await run.connection.newSession({ cwd });
    const turn = session.prompt('Delete it.');
    const { id = -1 } = (await run.agents[0]?.called('session/prompt')) ?? {};
    const late = new TimeoutError('The server did not take the prompt.', { timeoutMs: 30_000 });
    run.channels[0]?.fail({ type: 'callFailed', id, error: late });
    await expect(turn).rejects.toMatchObject({ code: 'timeout' });
    await expectSame(run, session);
  });
});

test('an agent that sends the note of a lost session loses nothing', async () => {
  const run = await live(everything.v1, (agent) =>
    agent.on('session/prompt', () => {
      agent.notify('$/session_lost', { sessionId: 's1', canReturn: false, error: { message: 'No.' } });
      agent.update('s1', says('Here.'));
      return { stopReason: 'end_turn' };
    }),
  );
  const session = await run.connection.newSession({ cwd });
  await session.prompt('Hello.');
  expect(session.isClosed).toBe(false);
  expect(run.recording.toString()).not.toContain('$/session_lost');
  await expectSame(run, session);
});
