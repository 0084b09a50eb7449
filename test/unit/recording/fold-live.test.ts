import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { recordTraffic } from '../../../src/records/recording/record-traffic.ts';
import { type Answer, noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { dialectNames, everything, nothing, settle } from '../../support/agents.ts';
import { outline } from '../../support/open-session.ts';
import {
  asks,
  closeAll,
  cwd,
  endTurn,
  expectSame,
  inTurn,
  type Live,
  live,
  params,
  reopened,
  says,
  works,
} from '../../support/recorded-session.ts';
import { repeats, says as spoken, stateUpdate } from '../../support/updates.ts';

afterEach(closeAll);

const stopReason = 'end_turn';

const banners = {
  none: [],
  'in one chunk': ['pi v1.5.2\n---\n'],
  'in two chunks': ['pi v1.5.2\n', '---\n'],
} as const;

const idsInVersion1 = ['no ids', 'ids in the history', 'ids', 'ids, but not of the history'] as const;
const idsInVersion2 = ['ids'] as const;

describe.each(dialectNames)('a banner before the first prompt is a message of its own (%s)', (dialect) => {
  const openings = [
    ['newSession', []],
    ['loadSession', ['user: Question.', 'agent: Answer.']],
    ['resumeSession', ['user: Question.', 'agent: Answer.']],
  ] as const;
  const cases = openings.flatMap(([opening, history]) =>
    Object.entries(banners).flatMap(([banner, chunks]) =>
      (dialect === 'v1' ? idsInVersion1 : idsInVersion2).map(
        (ids) => ({ opening, history, banner, chunks, ids }) as const,
      ),
    ),
  );

  test.each(cases)('$opening, $banner, $ids', async ({ opening, history, chunks, ids }) => {
    const [ofQuestion, ofHistory, ofBanner, ofAnswer] = {
      'no ids': [],
      'ids in the history': ['u1', 'a1'],
      ids: ['u1', 'a1', 'b1', 'a2'],
      'ids, but not of the history': [undefined, undefined, 'b1', 'a2'],
    }[ids];
    const opened: Answer = (_params, agent, id) => {
      const replayed = [
        repeats('Question.', ofQuestion),
        spoken('Ans', ofHistory),
        spoken('wer.', ofHistory),
      ];
      if (opening !== 'newSession') agent.update('s1', ...replayed);
      agent.answer(id, { sessionId: 's1' });
      for (const chunk of chunks) agent.update('s1', spoken(chunk, ofBanner));
      return noAnswer;
    };
    const run = await live(everything[dialect], (agent) =>
      agent
        .on('session/new', opened)
        .on('session/load', opened)
        .on('session/resume', opened)
        .on('session/prompt', () => {
          if (dialect !== 'v1') agent.update('s1', stateUpdate('running'));
          agent.update('s1', spoken('Hel', ofAnswer), spoken('lo.', ofAnswer));
          if (dialect === 'v1') return { stopReason: 'end_turn' };
          agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
          return { messageId: 'u2' };
        }),
    );
    const { connection } = run;
    const session = await (opening === 'newSession'
      ? connection.newSession({ cwd })
      : connection[opening](params));
    const transcripts = await openTranscripts({ storage: memoryStorage() });
    onTestFinished(() => transcripts.close());
    const stop = transcripts.record(session);
    await settle();
    const before = [...history, ...(chunks.length > 0 ? [`agent: ${chunks.join('')}`] : [])];
    expect(outline(session.conversation)).toEqual(before);
    await expectSame(run, session);
    await session.prompt('Hi.');
    expect(outline(session.conversation)).toEqual([...before, 'user: Hi.', 'agent: Hello.']);
    await expectSame(run, session);
    await stop();
    expect(await transcripts.read('s1')).toEqual(session.conversation);
  });
});

describe.each(['v1', 'v2-baseline'] as const)('the fork of an open session (%s)', (dialect) => {
  const history = ['user: Question.', 'agent: Answer.'];
  const replay = [repeats('Question.', 'u0'), spoken('Answer.', 'a0')];
  const commands = { sessionUpdate: 'available_commands_update', availableCommands: [] };

  test.each([
    ['begins with the history of its source if nothing is replayed', [], [], undefined, history],
    ['begins with what is replayed', [spoken('Shorter.', 'x1')], [], undefined, ['agent: Shorter.']],
    ['has a replay that follows the answer once', [], dialect === 'v1' ? replay : [], undefined, history],
    ['begins without a history if it ends at a cursor', [], [], 'c1', []],
  ] as const)('%s, live and in the recording', async (_title, before, after, cursorId, expected) => {
    let turns = 0;
    const run = await live(everything[dialect], (agent) =>
      agent
        .on('session/prompt', ({ sessionId }) => {
          const [prompt, said] = [`u${turns}`, spoken('Answer.', `a${turns++}`)];
          if (dialect === 'v1') agent.update(String(sessionId), said);
          else
            agent.update(
              String(sessionId),
              stateUpdate('running'),
              said,
              stateUpdate('idle', { stopReason }),
            );
          return dialect === 'v1' ? { stopReason } : { messageId: prompt };
        })
        .on('session/fork', (_params, _agent, id) => {
          agent.update('s2', commands, ...before);
          agent.answer(id, { sessionId: 's2' });
          agent.update('s2', ...after);
          return noAnswer;
        }),
    );
    const session = await run.connection.newSession({ cwd });
    await session.prompt('Question.');
    const fork = await run.connection.forkSession(
      { sessionId: 's1', cwd, ...(cursorId && { cursorId }) },
      { allowUnsupported: true },
    );
    await settle();
    expect(outline(fork.conversation)).toEqual(expected);
    await expectSame(run, session, fork);
    await fork.prompt('Question.');
    expect(outline(fork.conversation)).toEqual([...expected, ...history]);
    expect(new Set(fork.conversation.entries.map(({ key }) => key)).size).toBe(expected.length + 2);
    expect(outline(session.conversation)).toEqual(history);
    await expectSame(run, session, fork);
  });
});

test('a subagent that an agent announces with its own notifications is folded as it was live', async () => {
  const login = { authMethods: [{ id: 'grok.com', name: 'Grok' }] };
  const told = (kind: string, fields: object) => ({
    ...{ sessionId: 's1' },
    update: { sessionUpdate: `subagent_${kind}`, child_session_id: 'child', ...fields },
  });
  const run = await live({ ...everything.v1, agentInfo: null, ...login }, (agent) =>
    agent.on('session/prompt', () => {
      agent.notify('_x.ai/session_notification', told('spawned', { description: 'Reads' }));
      agent.update('child', spoken('I read.'));
      agent.notify('_x.ai/session_notification', told('finished', { status: 'completed' }));
      return { stopReason };
    }),
  );
  const session = await run.connection.newSession({ cwd });
  await session.prompt('Hi.');
  await settle();
  const [child] = session.subagents;
  expect(session.conversation.subagents).toMatchObject([{ sessionId: 'child', title: 'Reads' }]);
  const { sessions } = await foldTraffic(run.recording.toString());
  expect(sessions.map(({ conversation }) => conversation)).toEqual([
    session.conversation,
    child?.conversation,
  ]);
});

test('the recorded times separate what an agent says after its turn from the answer', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const run = await live(everything.v1, (agent) =>
    agent.on('session/prompt', () => {
      agent.update('s1', spoken('The answer.'));
      return { stopReason };
    }),
  );
  const session = await run.connection.newSession({ cwd });
  await session.prompt('Hi.');
  vi.advanceTimersByTime(300);
  run.agents[0]?.update('s1', spoken('A task has ended.'));
  await settle();
  expect(outline(session.conversation)).toEqual([
    'user: Hi.',
    'agent: The answer.',
    'agent: A task has ended.',
  ]);
  await expectSame(run, session);
});

describe('a recording of version 1 folds to what the client had', () => {
  test('after a crash where the session is loaded again', async () => {
    const run = await live(
      { protocolVersion: 1, agentCapabilities: { loadSession: true } },
      (agent) =>
        agent.on('session/prompt', works('v1')).on('session/load', () => {
          agent.update('s1', says('I begin, as before.'));
          return {};
        }),
      { reconnect: { firstDelayMs: 1 } },
    );
    const session = await crashInTurn(run);
    await expectSame(run, session);
    expect(session.conversation.entries).toMatchObject([
      { content: [{ text: 'Delete it.' }] },
      // The message was cut off, and the history of the agent has more of it.
      { content: [{ text: 'I begin, as before.' }] },
      { kind: 'toolCall' },
      { kind: 'turnFailure', cause: 'interrupted' },
    ]);
  });

  test('after a crash of an agent that opens no session again', async () => {
    const run = await live(nothing.v1, (agent) => agent.on('session/prompt', works('v1')), {
      reconnect: { firstDelayMs: 1 },
    });
    const session = await crashInTurn(run);
    expect(session.conversation.entries.at(-1)).toMatchObject({ kind: 'turnFailure' });
    await expectSame(run, session);
  });

  test('after crashes in a row, the first of them at the start', async () => {
    const run = await live(
      everything.v1,
      (agent, count) => {
        agent.on('session/prompt', works('v1')).on('session/resume', {});
        if (count === 2)
          agent.on('initialize', () => {
            agent.channel.exit({ exitCode: 1 });
            return noAnswer;
          });
      },
      { reconnect: { firstDelayMs: 1 } },
    );
    const session = await crashInTurn(run);
    expect(run.agents).toHaveLength(3);
    await expectSame(run, session);
    const back = reopened(run.connection);
    run.agents[2]?.channel.end();
    await back;
    await expectSame(run, session);
  });

  test('with several sessions', async () => {
    let sessions = 0;
    const run = await live(
      everything.v1,
      (agent) =>
        agent
          .on('session/new', () => ({ sessionId: `s${++sessions}` }))
          .on('session/resume', ({ sessionId }) => {
            if (sessionId === 's1') throw new RequestError(-32002, 'There is no such session.');
            return {};
          })
          .on('session/prompt', ({ sessionId }) => {
            agent.update(String(sessionId), says(`In ${sessionId}.`));
            return { stopReason: 'end_turn' };
          }),
      { reconnect: { firstDelayMs: 1 } },
    );
    const first = await run.connection.newSession({ cwd });
    const second = await run.connection.newSession({ cwd });
    await Promise.all([second.prompt('Second.'), first.prompt('First.')]);
    await expectSame(run, first, second);
    const back = reopened(run.connection);
    run.agents[0]?.channel.exit();
    await back;
    await expectSame(run, first, second);
    expect(run.connection.sessions).toEqual([second]);
  });

  test('with updates that come before the answer that opens their session', async () => {
    const run = await live(everything.v1, (agent) =>
      agent.on('session/new', () => {
        agent.update('s1', says('Hello.'));
        agent.update('other', says('Not for this client.'));
        return { sessionId: 's1' };
      }),
    );
    await expectSame(run, await run.connection.newSession({ cwd }));
  });

  test('after a close with a turn and a permission open', async () => {
    const run = await live(
      everything.v1,
      (agent) => agent.on('session/prompt', works('v1')).on('session/close', {}),
      { handlers: { requestPermission: () => new Promise(() => {}) } },
    );
    const { agent, session, turn } = await inTurn(run);
    turn.catch(() => {});
    asks('v1', agent).catch(() => {});
    await settle();
    await session.close();
    agent.update('s1', says('Too late.'));
    await expectSame(run, session);
  });

  test('after a prompt that the user aborts', async () => {
    const run = await live(everything.v1, (agent) => agent.on('session/prompt', works('v1')));
    const [agent] = run.agents;
    const session = await run.connection.newSession({ cwd });
    const user = new AbortController();
    const turn = session.prompt('Delete it.', { signal: user.signal });
    const { id } = (await agent?.called('session/prompt')) ?? {};
    await settle();
    user.abort(new Error('The user left.'));
    await expect(turn).rejects.toThrow();
    await expectSame(run, session);
    agent?.answer(id ?? -1, { stopReason: 'cancelled' });
    await expectSame(run, session);
  });

  test.each(['accept', 'decline', 'cancel'] as const)(
    'with a form that the user answers: %s',
    async (action) => {
      const answered = deferred();
      const run = await live(everything.v1, (agent) => agent.on('session/prompt', works('v1')), {
        handlers: {
          elicit: {
            form: async () => {
              await answered.promise;
              return action === 'accept' ? { action, content: { name: 'Ada' } } : { action };
            },
          },
        },
      });
      const { agent, session, turn, id } = await inTurn(run);
      const asked = agent.request('elicitation/create', {
        sessionId: 's1',
        mode: 'form',
        message: 'Who are you?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      });
      await expectSame(run, session);
      expect(session.conversation.activity.state).toBe('requires_action');
      answered.resolve();
      await asked;
      await expectSame(run, session);
      endTurn('v1', agent, id);
      await turn;
      await expectSame(run, session);
    },
  );

  test('with a setting that the user changes, and one that the agent refuses', async () => {
    const modes = {
      currentModeId: 'ask',
      availableModes: [
        { id: 'ask', name: 'Ask' },
        { id: 'code', name: 'Code' },
      ],
    };
    const run = await live(everything.v1, (agent) =>
      agent.on('session/new', { sessionId: 's1', modes }).on('session/set_mode', ({ modeId }) => {
        if (modeId === 'code') return {};
        throw new RequestError(-32602, 'Not now.');
      }),
    );
    const session = await run.connection.newSession({ cwd });
    await session.setMode('code');
    await expectSame(run, session);
    await expect(session.setMode('ask')).rejects.toThrow('Not now.');
    await expectSame(run, session);
    expect(session.conversation.modes?.currentModeId).toBe('code');
  });

  test('where another client loads the session after a crash: its history is added', async () => {
    const recording = recordTraffic();
    const first = await live(everything.v1, (agent) => agent.on('session/prompt', works('v1')), {
      trace: recording,
    });
    const session = await first.connection.newSession({ cwd });
    session.prompt('Delete it.').catch(() => {});
    await first.agents[0]?.called('session/prompt');
    await settle();
    first.agents[0]?.channel.exit();
    await first.connection.closed;
    const second = await live(
      everything.v1,
      (agent) =>
        agent.on('session/load', () => {
          agent.update('s1', says('I begin, as before.'));
          return {};
        }),
      { trace: recording },
    );
    await second.connection.loadSession(params);
    const { sessions } = await foldTraffic(recording.records);
    expect(sessions.map(({ conversation }) => outline(conversation))).toEqual([
      ['user: Delete it.', 'agent: I begin, as before.', ...outline(session.conversation).slice(2)],
    ]);
  });
});

/** Ends the agent in a turn, and waits until it was started again. */
async function crashInTurn({ connection, agents }: Live): Promise<Session> {
  const session = await connection.newSession({ cwd });
  const turn = session.prompt('Delete it.');
  await agents[0]?.called('session/prompt');
  await settle();
  const back = reopened(connection);
  agents[0]?.channel.exit({ exitCode: 3 });
  await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
  await back;
  return session;
}

test('a recording of an agent that was asked again for version 1 folds to what the client had', async () => {
  const run = await live(everything.v1, (agent) =>
    agent
      .on('initialize', ({ protocolVersion }) => {
        if (protocolVersion === 1) return everything.v1;
        throw new RequestError(-32022, 'Unsupported protocol version', { supported: [1] });
      })
      .on('session/prompt', works('v1')),
  );
  const { agent, session, turn, id } = await inTurn(run);
  await expectSame(run, session);
  endTurn('v1', agent, id);
  await turn;
  await expectSame(run, session);
});
