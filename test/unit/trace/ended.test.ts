import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { playback } from '../../../src/records/recording/playback.ts';
import { type Recording, recordTraffic } from '../../../src/records/recording/record-traffic.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, text } from '../../support/agents.ts';

const clientInfo = { name: 'test', version: '0.0.0' };
const cwd = '/project';

const tool = (dialect: DialectName) => ({
  sessionUpdate: dialect === 'v1' ? 'tool_call' : 'tool_call_update',
  toolCallId: 't1',
  title: 'Delete it',
  status: 'in_progress',
});

/** A turn that the agent does not end. */
function turn(dialect: DialectName, agent: ScriptedAgent, end: () => void): typeof noAnswer {
  agent.update('s1', {
    sessionUpdate: 'agent_message_chunk',
    messageId: 'm1',
    content: text('I shall'),
  });
  agent.update('s1', tool(dialect));
  const toolCall = { toolCallId: 't1' };
  const asked = agent.request('session/request_permission', {
    sessionId: 's1',
    ...(dialect === 'v1' ? { toolCall } : { title: 'Delete?', subject: { type: 'tool_call', toolCall } }),
    options: [{ optionId: 'no', name: 'No', kind: 'reject_once' }],
  });
  asked.catch(() => {});
  setImmediate(end);
  return noAnswer;
}

/** Records a connection whose agent exits during a turn, while a permission request is open. */
async function recordEnd(dialect: DialectName, end: (agent: ScriptedAgent) => void) {
  const agent = scriptedAgent()
    .on('initialize', everything[dialect])
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_, scripted) => turn(dialect, scripted, () => end(scripted)));
  const recording = recordTraffic();
  const connection = await connect(agent.transport, {
    clientInfo,
    trace: recording,
    handlers: { requestPermission: () => new Promise(() => {}) },
  });
  const session = await connection.newSession({ cwd });
  const failure = await session.prompt('Delete it.').catch((error: unknown) => error);
  await connection.closed;
  return { recording, failure, conversation: session.conversation };
}

/** What a recording folds to, without the diagnostic about the earlier draft of version 2. */
async function folded(recording: Recording) {
  const { sessions, diagnostics } = await foldTraffic(recording.toString().split('\n'));
  return {
    sessions,
    diagnostics: diagnostics.filter(({ rule }) => rule !== 'protocol.dialect_assumed'),
  };
}

describe.each(['v1', 'v2-markers', 'v2-baseline'] as const)(
  'a recording of an agent that crashed (%s)',
  (dialect) => {
    test('ends with how the agent exited, without its stderr', async () => {
      const { recording } = await recordEnd(dialect, ({ channel }) =>
        channel.exit({ exitCode: 7, stderrTail: 'the key is hunter2' }),
      );
      expect(recording.records.at(-1)).toMatchObject({
        dir: 'in',
        msg: { jsonrpc: '2.0', method: '$/ended', params: { exitCode: 7, signal: null } },
      });
      expect(recording.toString()).not.toContain('hunter2');
      expect((await folded(recording)).diagnostics).toEqual([
        {
          rule: 'connection.ended',
          severity: 'warning',
          message: 'The agent exited with code 7 here, before the client closed the connection.',
        },
      ]);
    });

    test('plays back to the same error and conversation', async () => {
      const { recording, failure, conversation } = await recordEnd(dialect, ({ channel }) =>
        channel.exit({ exitCode: null, signal: 'SIGKILL' }),
      );
      const connection = await connect(playback(recording.records), {
        clientInfo,
        handlers: { requestPermission: () => new Promise(() => {}) },
      });
      const session = await connection.newSession({ cwd });
      const again = await session.prompt('Delete it.').catch((error: unknown) => error);
      expect(again).toEqual(failure);
      expect(again).toMatchObject({ code: 'connection.closed', exit: { signal: 'SIGKILL' } });
      expect(session.conversation).toEqual(conversation);
      await connection.close();
    });

    test('ends with the end of a channel without a program', async () => {
      const { recording, conversation } = await recordEnd(dialect, ({ channel }) => channel.end());
      expect(recording.records.at(-1)?.msg).toMatchObject({ method: '$/ended', params: {} });
      const { sessions, diagnostics } = await folded(recording);
      expect(sessions[0]?.conversation).toEqual(conversation);
      expect(diagnostics).toMatchObject([
        { message: 'The agent closed the connection here, before the client did.' },
      ]);
    });
  },
);

test('a crash during a load restores the previous conversation', async () => {
  let loads = 0;
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/load', (_, scripted) => {
      scripted.update('s1', tool('v1'));
      if (++loads === 1) return {};
      scripted.update('s1', { ...tool('v1'), title: 'Something else' });
      setImmediate(() => scripted.channel.exit());
      return noAnswer;
    });
  const recording = recordTraffic();
  const connection = await connect(agent.transport, { clientInfo, trace: recording });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toMatchObject({
    code: 'connection.closed',
  });
  const { sessions } = await foldTraffic(recording.toString().split('\n'));
  expect(sessions.map(({ conversation }) => conversation)).toEqual([session.conversation]);
  expect(session.conversation.entries).toMatchObject([{ title: 'Delete it' }]);
});

test('a recording of a closed connection has no end mark', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  const recording = recordTraffic();
  const connection = await connect(agent.transport, { clientInfo, trace: recording });
  await connection.close();
  expect(recording.toString()).not.toContain('$/ended');
});

test('an end mark that the agent sends is not an end', async () => {
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_, scripted) => {
      scripted.update('s1', tool('v1'));
      scripted.notify('$/ended', { exitCode: 0, signal: null });
      scripted.update('s1', { ...tool('v1'), sessionUpdate: 'tool_call_update', status: 'completed' });
      return { stopReason: 'end_turn' };
    });
  const recording = recordTraffic();
  const connection = await connect(agent.transport, { clientInfo, trace: recording });
  const session = await connection.newSession({ cwd });
  await session.prompt('Delete it.');
  await connection.close();
  const { sessions, diagnostics } = await foldTraffic(recording.toString().split('\n'));
  expect(sessions[0]?.conversation).toEqual(session.conversation);
  expect(diagnostics).toEqual([]);

  const again = await connect(playback(recording.records), { clientInfo });
  const replayed = await again.newSession({ cwd });
  await replayed.prompt('Delete it.');
  expect(replayed.conversation).toEqual(session.conversation);
  await again.close();
});
