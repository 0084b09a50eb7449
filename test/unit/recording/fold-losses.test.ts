import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { ConnectionClosedError, HttpError } from '../../../src/core/base/errors.ts';
import type { ProcessExit } from '../../../src/core/base/process-exit.ts';
import type { TerminalChange, TerminalHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { playback } from '../../../src/records/recording/playback.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, settle } from '../../support/agents.ts';
import {
  asks,
  closeAll,
  cwd,
  expectSame,
  inTurn,
  type Live,
  live,
  params,
  says,
  toolCall,
  works,
} from '../../support/recorded-session.ts';

afterEach(closeAll);

const error = new ConnectionClosedError('The server ended the stream.');
const lost = { type: 'sessionLost', sessionId: 's1', error, canReturn: true } as const;

/** A user who never answers. */
const handlers = { requestPermission: () => new Promise<never>(() => {}) };

/** Plays a recording to a client that creates a session and prompts. Resolves to what the prompt comes to. */
async function promptAgain({ recording }: Live) {
  const connection = await connect(playback(recording.records), {
    clientInfo: { name: 'test', version: '0.0.0' },
    handlers,
  });
  const session = await connection.newSession({ cwd });
  const outcome = await session.prompt('Delete it.').catch((reason: unknown) => reason);
  await connection.close();
  return { conversation: session.conversation, outcome };
}

describe.each(dialectNames)('a session that is lost on a channel that goes on (%s)', (dialect) => {
  test('ends without reconnect, and in its recording and a playback as it did', async () => {
    const run = await live(everything[dialect], (agent) => agent.on('session/prompt', works(dialect)));
    const { session, turn } = await inTurn(run);
    await settle();
    run.channels[0]?.fail(lost);
    await expect(turn).rejects.toThrow('Load or resume the session to continue.');
    expect(await session.closed).toMatchObject({ reason: 'lost' });
    expect(run.connection.state).toBe('open');
    await expectSame(run, session);
    const outcome = await turn.catch((reason: unknown) => reason);
    expect(await promptAgain(run)).toEqual({ outcome, conversation: session.conversation });
  });

  test('a prompt that the server refuses fails with its status, and the recording folds to the conversation', async () => {
    const run = await live(everything[dialect], (agent) => agent.on('session/prompt', () => noAnswer));
    const { session, turn, id } = await inTurn(run);
    const refusal = new HttpError('The server takes no requests now.', { status: 503, body: '' });
    run.channels[0]?.fail({ type: 'callFailed', id, error: refusal });
    const failure = await turn.catch((reason: unknown) => reason);
    expect(failure).toBe(refusal);
    const entry = { kind: 'turnFailure', cause: 'failed', reason: 'The server takes no requests now.' };
    // An agent of version 2 that did not take a prompt has not begun a turn.
    expect(session.conversation.entries.slice(1)).toMatchObject(dialect === 'v1' ? [entry] : []);
    await expectSame(run, session);
    const again = await promptAgain(run);
    expect(again.outcome).toMatchObject({ name: 'HttpError', status: 503, message: refusal.message });
    expect(again.conversation).toEqual(session.conversation);
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

/** Records a connection whose agent ends during a turn, while a permission request is open. */
async function recordEnd(dialect: DialectName, end: (agent: ScriptedAgent) => void) {
  const script = (agent: ScriptedAgent) =>
    agent.on('session/prompt', () => {
      agent.update('s1', says('I shall'), toolCall(dialect));
      return noAnswer;
    });
  const run = await live(everything[dialect], script, { handlers });
  const { agent, session, turn } = await inTurn(run);
  asks(dialect, agent).catch(() => {});
  await settle();
  end(agent);
  const outcome = await turn.catch((reason: unknown) => reason);
  await run.connection.closed;
  await settle();
  const { diagnostics } = await foldTraffic(run.recording.toString());
  // Each recording of the earlier draft of version 2 has it.
  const told = diagnostics.filter(({ rule }) => rule !== 'protocol.dialect_assumed');
  return { run, session, outcome, last: run.recording.records.at(-1), told };
}

describe.each(dialectNames)('a recording of an agent that crashed (%s)', (dialect) => {
  test('ends with how the agent exited, without its stderr', async () => {
    const { run, last, told } = await recordEnd(dialect, ({ channel }) =>
      channel.exit({ exitCode: 7, stderrTail: 'the key is hunter2' }),
    );
    const msg = { jsonrpc: '2.0', method: '$/ended', params: { exitCode: 7, signal: null } };
    expect(last).toMatchObject({ dir: 'in', msg });
    expect(run.recording.toString()).not.toContain('hunter2');
    const message = 'The agent exited with code 7 here, before the client closed the connection.';
    expect(told).toEqual([{ rule: 'connection.ended', severity: 'warning', message }]);
  });

  test('plays back to the same error and conversation', async () => {
    const { run, session, outcome } = await recordEnd(dialect, ({ channel }) =>
      channel.exit({ exitCode: null, signal: 'SIGKILL' }),
    );
    expect(outcome).toMatchObject({ code: 'connection.closed', exit: { signal: 'SIGKILL' } });
    expect(await promptAgain(run)).toEqual({ outcome, conversation: session.conversation });
  });

  test('ends with the end of a channel without a program', async () => {
    const { run, session, last, told } = await recordEnd(dialect, ({ channel }) => channel.end());
    expect(last?.msg).toMatchObject({ method: '$/ended', params: {} });
    await expectSame(run, session);
    const message = 'The agent closed the connection here, before the client did.';
    expect(told).toMatchObject([{ message }]);
  });
});

test('a crash during a load restores the previous conversation', async () => {
  let loads = 0;
  const run = await live(everything.v1, (agent) =>
    agent.on('session/load', () => {
      agent.update('s1', toolCall('v1'));
      if (++loads === 1) return {};
      agent.update('s1', toolCall('v1', { title: 'Something else' }));
      setImmediate(() => agent.channel.exit());
      return noAnswer;
    }),
  );
  const session = await run.connection.loadSession(params);
  await expect(run.connection.loadSession(params)).rejects.toMatchObject({ code: 'connection.closed' });
  await expectSame(run, session);
  expect(session.conversation.entries).toMatchObject([{ title: 'Delete it' }]);
});

test('a recording of a closed connection has no end mark', async () => {
  const run = await live(everything.v1, () => {});
  await run.connection.close();
  expect(run.recording.toString()).not.toContain('$/ended');
});

test('an end mark that the agent sends is not an end', async () => {
  const run = await live(everything.v1, (agent) =>
    agent.on('session/prompt', () => {
      agent.update('s1', toolCall('v1'));
      agent.notify('$/ended', { exitCode: 0, signal: null });
      agent.update('s1', toolCall('v1', { sessionUpdate: 'tool_call_update', status: 'completed' }));
      return { stopReason: 'end_turn' };
    }),
  );
  const session = await run.connection.newSession({ cwd });
  const outcome = await session.prompt('Delete it.');
  await expectSame(run, session);
  expect((await foldTraffic(run.recording.toString())).diagnostics).toEqual([]);
  expect(await promptAgain(run)).toEqual({ outcome, conversation: session.conversation });
});

/** Commands that print and end as the test says. */
function commands() {
  const outputs = new Map<string, string>();
  const exits = new Map<string, (exit: ProcessExit) => void>();
  const listeners = new Map<string, (change: TerminalChange) => void>();
  const terminals: TerminalHandlers = {
    create({ command }) {
      if (command === 'refused') throw new RequestError(-32602, 'There is no such command.');
      const terminalId = `t${outputs.size + 1}`;
      outputs.set(terminalId, '');
      return { terminalId };
    },
    output: ({ terminalId }) => ({
      output: outputs.get(terminalId)?.slice(-8) ?? '',
      truncated: (outputs.get(terminalId)?.length ?? 0) > 8,
    }),
    waitForExit: ({ terminalId }) => new Promise((resolve) => exits.set(terminalId, resolve)),
    kill() {},
    release() {},
  };
  const print = (terminalId: string, text: string) => {
    outputs.set(terminalId, outputs.get(terminalId) + text);
    listeners.get(terminalId)?.({ type: 'output', text });
  };
  const subscribe: TerminalHandlers['subscribe'] = (terminalId, listener) => {
    listeners.set(terminalId, listener);
    return () => listeners.delete(terminalId);
  };
  return { terminals, subscribe, exits, print };
}

async function open(terminals: TerminalHandlers) {
  const run = await live(everything.v1, () => {}, { handlers: { terminals } });
  const session = await run.connection.newSession({ cwd });
  // `live` has started one agent.
  const agent = run.agents[0] as ScriptedAgent;
  const create = (command: string) =>
    agent.request('terminal/create', { sessionId: 's1', command, args: ['it'], cwd });
  const ask = (method: string, terminalId: string) =>
    agent.request(`terminal/${method}`, { sessionId: 's1', terminalId });
  return { run, session, create, ask };
}

test('a recording folds to the terminals that the client had, as the agent read them', async () => {
  const { terminals, exits, print } = commands();
  const { run, session, create, ask } = await open(terminals);
  await Promise.all([create('make'), create('refused'), create('test')]);
  const waiting = [ask('wait_for_exit', 't2'), ask('wait_for_exit', 't1')];
  await expectSame(run, session);

  print('t1', 'one é\n');
  print('t2', 'two\n');
  await Promise.all([ask('output', 't2'), ask('output', 't1')]);
  await expectSame(run, session);
  print('t2', 'and more than the agent reads\n');
  await ask('output', 't2');
  await expectSame(run, session);

  exits.get('t1')?.({ exitCode: 3, signal: null });
  await waiting[1];
  await ask('kill', 't2');
  await ask('release', 't1');
  await ask('release', 't2');
  await expectSame(run, session);
  const { t1, t2 } = session.conversation.terminals;
  expect(t1).toMatchObject({
    command: 'make it',
    cwd,
    output: 'one é\n',
    exitStatus: { exitCode: 3 },
  });
  expect(t2).toMatchObject({ command: 'test it', output: 't reads\n', exitStatus: { exitCode: null } });
  expect(t2?.droppedBytes).toBeGreaterThan(0);
});

test('a recording has no output that the agent did not read', async () => {
  const { terminals, subscribe, print } = commands();
  const { run, session, create, ask } = await open({ ...terminals, subscribe });
  await create('make');
  print('t1', 'read\n');
  await ask('output', 't1');
  await expectSame(run, session);
  print('t1', 'unread\n');
  await settle();
  const [folded] = (await foldTraffic(run.recording.toString())).sessions;
  expect(session.conversation.terminals['t1']?.output).toBe('read\nunread\n');
  expect(folded?.conversation.terminals['t1']?.output).toBe('read\n');
});
