import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { ConnectionClosedError, RemoteError } from '../../../src/core/base/errors.ts';
import type { TerminalHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { TrafficRecord } from '../../../src/core/trace/traffic.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { playback, readRecords } from '../../../src/records/recording/playback.ts';
import { type Recording, recordTraffic } from '../../../src/records/recording/record-traffic.ts';
import { transcriptOf } from '../../../src/records/recording/transcript-of.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, text } from '../../support/agents.ts';

/** The agent asks for permission in most recordings. These clients have no handler for it. */
const options = { clientInfo: { name: 'test', version: '0.0.0' }, onDiagnostic() {} };
const cwd = '/project';

const folder = new URL('../../fixtures/traffic/', import.meta.url);
const reloads = readdirSync(folder).filter((name) => name.endsWith('reload.ndjson'));

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly replayFrom?: object };
}

const messageOf = ({ msg }: TrafficRecord) => msg as Message;

/** The recording up to the answer to its first load, and what was loaded. */
function firstLoad(records: readonly TrafficRecord[]) {
  const asked = records.findIndex((record) => {
    const { method, params } = messageOf(record);
    return method === 'session/load' || (method === 'session/resume' && params?.replayFrom !== undefined);
  });
  const { id, params } = messageOf(records[asked]!);
  const answered = records.findIndex(
    (record, place) => place > asked && record.dir === 'in' && messageOf(record).id === id,
  );
  return { records: records.slice(0, answered + 1), sessionId: params!.sessionId };
}

describe('what a real agent replayed is replayed again', () => {
  test('there are such recordings', () => expect(reloads.length).toBeGreaterThanOrEqual(3));

  test.each(reloads)('%s', async (name) => {
    const { records, sessionId } = firstLoad(readRecords(readFileSync(new URL(name, folder), 'utf8')));
    const lines = records.map((each) => JSON.stringify(each));
    const folded = (await foldTraffic(lines)).sessions.find(
      ({ conversation }) => conversation.sessionId === sessionId,
    );
    // The recorded client also listed the sessions first. This one leaves that out.
    const connection = await connect(playback(records), options);
    const session = await connection.loadSession({ sessionId, cwd });
    expect(session.conversation).toEqual(folded?.conversation);
    await connection.close();
  });
});

/** Records a turn in which the agent asks, and which it ends with an error. */
async function recordFailure() {
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', async (_, scripted) => {
      scripted.update('s1', { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Delete it' });
      await scripted.request('session/request_permission', {
        sessionId: 's1',
        toolCall: { toolCallId: 't1' },
        options: [{ optionId: 'no', name: 'No', kind: 'reject_once' }],
      });
      scripted.update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Then not.') });
      throw new Error('no tokens left');
    });
  const recording = recordTraffic();
  const connection = await connect(agent.transport, { ...options, trace: recording });
  const session = await connection.newSession({ cwd });
  const failure = await session.prompt('Delete it.').catch((error: unknown) => error);
  await connection.close();
  return { recording, failure, conversation: session.conversation };
}

test('a recording of a failure fails again, and says the same until then', async () => {
  const { recording, failure, conversation } = await recordFailure();
  expect(failure).toBeInstanceOf(RemoteError);
  const connection = await connect(playback(recording.toString()), options);
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Delete it.')).rejects.toEqual(failure);
  expect(session.conversation).toEqual(conversation);
  await connection.close();
});

test('a question is asked where it was asked, and its answer waited for', async () => {
  const { recording } = await recordFailure();
  let before = '';
  const connection = await connect(playback(recording.records), {
    ...options,
    handlers: {
      requestPermission: (_, { session }) => {
        before = transcriptOf(session.conversation);
        return { outcome: 'selected', optionId: 'no' };
      },
    },
  });
  const session = await connection.newSession({ cwd });
  await session.prompt('Delete it.').catch(() => {});
  expect(before).toBe(
    'user (unconfirmed): Delete it.\ntool: Delete it (other, pending, asks: No)\nsession: requires_action',
  );
  expect(transcriptOf(session.conversation)).toContain('agent: Then not.');
  await connection.close();
});

test('the client chooses its own ids', async () => {
  const { recording } = await recordFailure();
  const shifted = recording.records.map(({ msg, ...rest }) => {
    const message = msg as Message;
    const isOurs = message.id !== undefined && (rest.dir === 'out') === (message.method !== undefined);
    return { ...rest, msg: isOurs ? { ...message, id: Number(message.id) + 100 } : message };
  });
  const connection = await connect(playback(shifted), options);
  expect((await connection.newSession({ cwd })).sessionId).toBe('s1');
  await connection.close();
});

test('a call that is not in the recording is refused, and says so', async () => {
  const { recording } = await recordFailure();
  const connection = await connect(playback(recording.records), options);
  await expect(connection.deleteSession('s1')).rejects.toThrow(
    'The recording has no further call of session/delete.',
  );
  await connection.newSession({ cwd });
  await expect(connection.newSession({ cwd })).rejects.toThrow(
    'The recording has no further call of session/new',
  );
  await connection.close();
});

test('a call that was skipped is answered', async () => {
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/list', { sessions: [{ sessionId: 's1', cwd }] })
    .on('session/new', { sessionId: 's2' });
  const recording = recordTraffic();
  const recorded = await connect(agent.transport, { ...options, trace: recording });
  await recorded.listSessions().page();
  await recorded.newSession({ cwd });
  await recorded.close();

  const connection = await connect(playback(recording.records), options);
  expect((await connection.newSession({ cwd })).sessionId).toBe('s2');
  expect((await connection.listSessions().page()).sessions).toEqual([{ sessionId: 's1', cwd }]);
  await connection.close();
});

test('where the recording ends before an answer, the channel does', async () => {
  const { recording } = await recordFailure();
  const untilPrompt = recording.records.slice(0, -1);
  const connection = await connect(playback(untilPrompt), options);
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Delete it.')).rejects.toBeInstanceOf(ConnectionClosedError);
  expect(transcriptOf(session.conversation)).toContain('agent: Then not.');
});

test('the commands of a recording run in the terminals of the client that plays it', async () => {
  const terminalsNamed = (terminalId: string, printed: string): TerminalHandlers => ({
    create: () => ({ terminalId }),
    output: (request) => {
      expect(request).toEqual({ terminalId });
      return { output: printed, truncated: false };
    },
    waitForExit: () => ({ exitCode: 0, signal: null }),
    kill() {},
    release() {},
  });
  const runs = async (agent: Transport, terminals: TerminalHandlers, trace?: Recording) => {
    const connection = await connect(agent, { ...options, handlers: { terminals }, ...(trace && { trace }) });
    const session = await connection.newSession({ cwd });
    await session.prompt('Test it.');
    await connection.close();
    return session.conversation;
  };
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', async (_, scripted) => {
      const { result } = await scripted.request('terminal/create', { sessionId: 's1', command: 'make' });
      const { terminalId } = result as { readonly terminalId: string };
      const content = [{ type: 'terminal', terminalId }];
      scripted.update('s1', { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Test', content });
      await scripted.request('terminal/output', { sessionId: 's1', terminalId });
      return { stopReason: 'end_turn' };
    });
  const recording = recordTraffic();
  await runs(agent.transport, terminalsNamed('then', 'then'), recording);
  const conversation = await runs(playback(recording.toString()), terminalsNamed('now', 'now'));
  expect(conversation.terminals).toMatchObject({ now: { command: 'make', output: 'now' } });
  expect(conversation.entries.at(-1)).toMatchObject({ content: [{ type: 'terminal', terminalId: 'now' }] });
});
