import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import { settle } from '../support/agents.ts';
import { cwd, deliver, flush, openSession, outline, undecided } from '../support/open-session.ts';
import { connectRestarting } from '../support/restarting-agent.ts';
import { permissionParams, repeats, says, stateUpdate, toolCall, userMessage } from '../support/updates.ts';

/** Tests of items that every dialect keeps in its own words. The files of the pages call them. */

const isOf1 = (dialect: DialectName) => dialect === 'v1';
const echo = userMessage('u1', 'Go.');
/** An agent that fails the turn after it began to work. */
export async function failsTurn(dialect: DialectName, code: number, expected: object): Promise<void> {
  const logins: string[] = [];
  const error = { code, message: 'Failed', data: { details: 'The key has expired.' } };
  const { agent, session, conversation } = await openSession(dialect, {
    connect: {
      onAuthRequired: ({ method }) => {
        logins.push(method);
      },
    },
    script: (agent) =>
      agent.on('session/prompt', (_params, agent, id) => {
        if (!isOf1(dialect)) agent.answer(id, { messageId: 'u1' });
        agent.update('s1', ...(isOf1(dialect) ? [] : [echo, stateUpdate('running')]), says('I begin.', 'm1'));
        if (isOf1(dialect)) throw new RequestError(code, error.message, error.data);
        agent.update('s1', stateUpdate('idle', { stopReason: 'error', error }));
        return noAnswer;
      }),
  });
  await expect(session.prompt('Go.')).rejects.toMatchObject({
    rpcCode: code,
    message: expect.stringContaining('The key has expired.'),
    promptAccepted: true,
    ...expected,
  });
  expect(conversation().activity).toMatchObject({
    state: 'idle',
    stopReason: 'error',
    error: { ...error, message: 'Failed: The key has expired.' },
  });
  expect(agent.calls('session/prompt')).toHaveLength(1);
  expect(logins).toEqual(code === -32000 ? ['session/prompt'] : []);
  expect(outline(conversation())).toEqual([
    'user: Go.',
    'agent: I begin.',
    expect.stringMatching(/^failed: .*The key has expired\.$/),
  ]);
}

const endTurn = stateUpdate('idle', { stopReason: 'end_turn' });
const running = stateUpdate('running');
const work = [running, says('Done.', 'm1')];
const answer = { answer: { messageId: 'u1' } };
const unnamed = { answer: {} };
const inChunks = [repeats('G', 'u1'), repeats('o.', 'u1')];
const earlier = stateUpdate('idle', { stopReason: 'cancelled' });

/** What an agent of version 2 sends after a prompt, in its order: updates, and its answer. */
export const turnOrders: readonly (readonly [string, readonly (object | { readonly answer: object })[]])[] = [
  ['the answer comes first', [answer, echo, ...work, endTurn]],
  ['the answer comes first, and the prompt is not repeated', [answer, ...work, endTurn]],
  ['the answer comes first and has no id', [unnamed, echo, ...work, endTurn]],
  ['the answer has no id, and the prompt is not repeated', [unnamed, ...work, endTurn]],
  ['the answer comes after the prompt', [echo, answer, ...work, endTurn]],
  ['the answer has no id and comes after the prompt', [echo, unnamed, ...work, endTurn]],
  ['the work begins before both', [running, echo, answer, ...work, endTurn]],
  ['the prompt comes in chunks, before the answer', [running, ...inChunks, answer, ...work, endTurn]],
  ['the prompt comes after the work has begun', [answer, running, echo, ...work, endTurn]],
  ['the answer comes after the idle state', [echo, ...work, endTurn, answer]],
  ['the answer comes last, and the prompt is not repeated', [...work, endTurn, answer]],
  ['the answer comes last, without an id, and the prompt is not repeated', [...work, endTurn, unnamed]],
  ['the prompt is never answered', [...work, endTurn]],
  ['an idle state from before the prompt comes after it', [earlier, echo, ...work, answer, endTurn]],
];

/** An agent that sends these in one turn. */
export async function endsTurn(
  dialect: DialectName,
  order: readonly (object | { readonly answer: object })[],
): Promise<void> {
  const { session, conversation } = await openSession(dialect, {
    script: (agent) =>
      agent.on('session/prompt', (_params, agent, id) => {
        for (const sent of order) {
          if ('answer' in sent) agent.answer(id, sent.answer as JsonObject);
          else agent.update('s1', sent);
        }
        return noAnswer;
      }),
  });
  // The id is that of the first of them.
  const isNamed = order.slice(0, order.indexOf(endTurn)).some((sent) => sent === echo || sent === answer);
  const messageId = isNamed || order.includes(inChunks[0] as object) ? 'u1' : null;
  expect(await session.prompt('Go.')).toEqual({ stopReason: 'end_turn', messageId });
  expect(outline(conversation())).toEqual(['user: Go.', 'agent: Done.']);
  expect(conversation().entries[0]).toMatchObject({ origin: 'live' });
  expect(conversation().activity).toMatchObject({ state: 'idle', stopReason: 'end_turn' });
}

const form = {
  mode: 'form',
  sessionId: 's1',
  message: 'Which one?',
  requestedSchema: { type: 'object', properties: {} },
};

/** An agent whose turn waits for the user, and which closes or deletes a session only when it has the answers. */
export async function endsWhileTheUserIsAsked(
  dialect: DialectName,
  way: 'session/close' | 'session/delete' | 'the connection',
): Promise<void> {
  const { signals, handlers } = undecided();
  const asked: Promise<unknown>[] = [];
  const afterAnswers = () => Promise.all(asked).then(() => ({}));
  const { agent, session, connection, conversation } = await openSession(dialect, {
    handlers,
    script: (agent) =>
      agent
        .on('session/prompt', (_params, agent) => {
          asked.push(agent.request('session/request_permission', permissionParams(dialect)));
          asked.push(agent.request('elicitation/create', form));
          return isOf1(dialect) ? noAnswer : { messageId: 'u1' };
        })
        .on('session/close', afterAnswers)
        .on('session/delete', afterAnswers),
  });
  const turn = session.prompt('Go.').then(
    ({ stopReason }) => stopReason,
    ({ code }: { readonly code: string }) => code,
  );
  await agent.called('session/prompt');
  await flush(agent);
  if (way === 'session/close') await session.close();
  else if (way === 'session/delete') await connection.deleteSession('s1');
  else await connection.close();
  const results = agent.received.flatMap(({ method, result }) =>
    method === undefined ? [result] : method === way ? [method] : [],
  );
  expect(results.slice(way === 'the connection' ? -2 : -3)).toEqual([
    { outcome: { outcome: 'cancelled' } },
    { action: 'cancel' },
    ...(way === 'the connection' ? [] : [way]),
  ]);
  expect(await turn).toBe(way === 'the connection' ? 'connection.closed' : 'cancelled');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(session.isClosed).toBe(true);
  expect(connection.sessions).toEqual([]);
  expect(conversation().activity.state).toBe('idle');
  expect(conversation().entries.slice(0, 2)).toMatchObject([
    { role: 'user', origin: 'live' },
    { status: 'cancelled', permission: null },
  ]);
}

/** An agent that crashes in a turn, and replays the session in these words when it is started again. */
export async function replaysAfterACrash(dialect: DialectName, call: 'load' | 'resume'): Promise<void> {
  const prompt = isOf1(dialect) ? repeats('Go.') : echo;
  const tool = toolCall(dialect);
  const markers = { load: call === 'load' ? {} : null, resume: call === 'resume' ? {} : null };
  const initialize = isOf1(dialect)
    ? {
        protocolVersion: 1,
        agentCapabilities: {
          loadSession: call === 'load',
          sessionCapabilities: { resume: markers.resume },
        },
      }
    : {
        protocolVersion: 2,
        info: { name: 'scripted', version: '1.0.0' },
        capabilities: { session: dialect === 'v2-markers' ? markers : {} },
      };
  const method = call === 'load' ? 'session/load' : 'session/resume';
  const replayed = [prompt, says('I begin, and', 'm1'), { ...tool, status: 'completed' }];
  const { agents, connection } = await connectRestarting((agent) =>
    agent
      .on('initialize', initialize)
      .on('session/prompt', () => {
        const before = isOf1(dialect) ? [] : [echo, stateUpdate('running')];
        agent.update('s1', ...before, says('I begin, and go on', 'm1'), tool);
        return noAnswer;
      })
      .on(method, () => {
        agent.update('s1', ...replayed, says('Done ', 'm2'), says('meanwhile.', 'm2'));
        return {};
      }),
  );
  const session = await connection.newSession({ cwd });
  const turn = session.prompt('Go.').catch((error: unknown) => error);
  await agents[0]?.called('session/prompt');
  await settle();
  const shown = session.conversation.entries;
  agents[0]?.channel.exit({ exitCode: 7 });
  expect(await turn).toMatchObject({ code: 'connection.closed', promptAccepted: true });
  await connection.ready;
  const { entries } = session.conversation;
  expect(agents[1]?.calls(method)).toHaveLength(1);
  expect(entries.slice(0, shown.length).map(({ key }) => key)).toEqual(shown.map(({ key }) => key));
  expect(outline({ ...session.conversation })).toEqual([
    'user: Go.',
    'agent: I begin, and go on',
    // The agent went on after the loss, and its history says how the call ended.
    't1: completed',
    expect.stringMatching(/^interrupted: .*exited with code 7/),
    'agent: Done meanwhile.',
  ]);
  expect(entries[0]).toMatchObject({ origin: 'live' });
}

const _meta = { traceparent: '00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01' };

const entries = [{ content: 'Test', priority: 'high', status: 'pending' }];
const plan = (dialect: DialectName) =>
  isOf1(dialect)
    ? { sessionUpdate: 'plan', entries, _meta }
    : { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries }, _meta };

/** Sends and reads `_meta` everywhere. */
export async function carriesMetadata(dialect: DialectName): Promise<void> {
  const asked: unknown[] = [];
  const { agent, session, connection, conversation } = await openSession(dialect, {
    connect: {
      clientInfo: { name: 'test', version: '0.0.0', _meta },
      clientCapabilities: { _meta },
      meta: _meta,
    },
    handlers: {
      requestPermission: (_request, { meta }) => {
        asked.push(meta);
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
    opened: { _meta },
    script: (agent) =>
      agent
        .on('session/prompt', (_params, agent, id) => {
          if (isOf1(dialect)) return { stopReason: 'end_turn', _meta };
          agent.answer(id, { messageId: 'u1', _meta });
          agent.update('s1', echo, stateUpdate('idle', { stopReason: 'end_turn', _meta }));
          return noAnswer;
        })
        .on('session/list', { sessions: [], _meta })
        .on('session/close', {}),
  });
  const offered = agent.calls('initialize')[0]?.params;
  const [client, capabilities] = isOf1(dialect)
    ? ['clientInfo', 'clientCapabilities']
    : ['info', 'capabilities'];
  expect(offered).toMatchObject({ _meta, [client]: { _meta }, [capabilities]: { _meta } });

  const call = { meta: _meta };
  const turn = await session.prompt('Go.', call);
  const { _meta: listed } = await connection.listSessions({}, call).page();
  await agent.request('session/request_permission', { ...permissionParams(dialect), _meta });
  const heard: unknown[] = [];
  const stop = session.onUpdate((update) =>
    heard.push([update.sessionUpdate, '_meta' in update && update._meta]),
  );
  agent.update(
    's1',
    { sessionUpdate: 'usage_update', used: 1, size: 2, _meta },
    { ...says('a', 'm1'), _meta },
  );
  await deliver(agent, plan(dialect), { sessionUpdate: 'config_option_update', configOptions: [], _meta });
  stop();
  await deliver(agent, says('b', 'm1'));
  const shown = conversation();
  await session.close(call);
  const methods = ['session/prompt', 'session/list', 'session/close'];
  expect(methods.map((method) => agent.calls(method)[0]?.params)).toEqual(
    methods.map(() => expect.objectContaining({ _meta })),
  );
  const kept = [shown.meta, shown.usage?._meta, shown.plans[0]?._meta, listed, ...asked];
  expect(kept).toEqual(kept.map(() => _meta));
  expect(asked).toHaveLength(1);
  expect(heard).toEqual(
    ['usage_update', 'agent_message_chunk', 'plan_update', 'config_option_update'].map((tag) => [tag, _meta]),
  );
  if (isOf1(dialect)) expect(turn._meta).toEqual(_meta);
  else expect(shown.activity._meta).toEqual(_meta);
}

/** A session that works for another one. */
export async function hasASubagent(dialect: DialectName): Promise<void> {
  const asked: unknown[] = [];
  const { agent, session, conversation, diagnostics } = await openSession(dialect, {
    handlers: {
      requestPermission: (_request, { session: parent, subagent }) => {
        asked.push([parent?.sessionId, subagent?.sessionId]);
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
  });
  agent.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' });
  agent.update('child', says('Found it.', 'm1'));
  const { result } = await agent.request(
    'session/request_permission',
    permissionParams(dialect, { sessionId: 'child' }),
  );
  expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
  expect(asked).toEqual([['s1', 'child']]);
  expect(session.subagents).toMatchObject([{ sessionId: 'child', parentSessionId: 's1', title: 'Search' }]);
  const found = session.subagents.map((subagent) => outline(subagent.conversation));
  expect(found).toEqual([['agent: Found it.', 't1: pending']]);
  expect(conversation().entries).toEqual([]);
  expect(diagnostics).toEqual([]);
}
