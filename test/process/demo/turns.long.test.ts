import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { dialects, newSession, promptParams } from './dialects.ts';
import { fold } from './fold.ts';
import { RawClient } from './raw-client.ts';

const cwd = '/home/ada/elsewhere';
const [v1, v2] = dialects as [(typeof dialects)[number], (typeof dialects)[number]];

interface Opened extends AsyncDisposable {
  readonly client: RawClient;
  readonly sessionId: string;
}

async function open(dialect: typeof v1, folder = temporaryFolder()): Promise<Opened> {
  const client = await RawClient.start('--state', folder);
  await client.request('initialize', dialect.initialize);
  const sessionId = await newSession(client, cwd);
  return { client, sessionId, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

function tags(updates: readonly JsonObject[]): readonly unknown[] {
  const all = updates.map(({ sessionUpdate, state, status, stopReason }) =>
    [sessionUpdate, state, status, stopReason].filter((part) => part !== undefined).join(' '),
  );
  return all.filter((tag, index) => tag !== all[index - 1]);
}

/** Waits until the agent counts. */
function counting(client: RawClient, sessionId: string): Promise<unknown> {
  return client.waitFor(() =>
    client.updates(sessionId).some(({ content }) => JSON.stringify(content ?? '').includes('3 🐑')),
  );
}

function permissionRequest(client: RawClient): Promise<JsonObject> {
  return client.waitFor(({ method }) => method === 'session/request_permission');
}

describe('a turn of version 1', () => {
  test('tells all there is to tell before its answer', async () => {
    await using opened = await open(v1);
    const { client, sessionId } = opened;
    const start = client.received.length;
    await client.request('session/prompt', promptParams(sessionId, 'plan'));
    expect(tags(client.updates(sessionId, start))).toEqual([
      'agent_thought_chunk',
      'plan',
      'agent_message_chunk',
      'usage_update',
      'session_info_update',
    ]);
    expect(client.received.at(-1)?.method).toBe('session/prompt');
  });

  test('is cancelled by session/cancel, and keeps what was said', async () => {
    const folder = temporaryFolder();
    await using opened = await open(v1, folder);
    const { client, sessionId } = opened;
    const start = client.received.length;
    const id = client.send('session/prompt', promptParams(sessionId, 'slow'));
    await counting(client, sessionId);
    client.notify('session/cancel', { sessionId });
    expect((await client.response(id))['result']).toEqual({ stopReason: 'cancelled' });
    const live = fold(client.updates(sessionId, start));
    await client.end();

    await using later = await RawClient.start('--state', folder);
    await later.request('initialize', v1.initialize);
    await v1.replay(later, sessionId);
    expect(fold(later.updates(sessionId)).entries.slice(1)).toEqual(live.entries);
  });

  test('is cancelled by $/cancel_request as well, and the next begins', async () => {
    await using opened = await open(v1);
    const { client, sessionId } = opened;
    const slow = client.send('session/prompt', promptParams(sessionId, 'slow'));
    const held = client.send('session/prompt', promptParams(sessionId, 'held'));
    const last = client.send('session/prompt', promptParams(sessionId, 'last'));
    await counting(client, sessionId);
    client.notify('$/cancel_request', { requestId: held });
    expect((await client.response(held))['result']).toEqual({ stopReason: 'cancelled' });
    client.notify('$/cancel_request', { requestId: slow });
    expect((await client.response(slow))['result']).toEqual({ stopReason: 'cancelled' });
    expect((await client.response(last))['result']).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(client.updates(sessionId))).not.toContain('held');
  });

  test('fails with an error', async () => {
    await using opened = await open(v1);
    const { client, sessionId } = opened;
    for (const word of ['error', 'fail']) {
      const params = promptParams(sessionId, word);
      expect(await client.refused('session/prompt', params)).toMatchObject({ code: -32603 });
    }
    expect(await v1.prompt(client, sessionId, 'and now?')).toBe('end_turn');
  });
});

describe('a turn of version 2', () => {
  test('begins with the prompt and ends with idle', async () => {
    await using opened = await open(v2);
    const { client, sessionId } = opened;
    const start = client.received.length;
    expect(await v2.prompt(client, sessionId, 'run')).toBe('end_turn');
    expect(tags(client.updates(sessionId, start))).toEqual([
      'user_message',
      'state_update running',
      'agent_thought',
      'agent_thought_chunk',
      'terminal_update',
      'tool_call_update pending',
      'tool_call_update in_progress',
      'terminal_output_chunk',
      'terminal_update',
      'tool_call_update completed',
      'agent_message',
      'agent_message_chunk',
      'usage_update',
      'session_info_update',
      'state_update idle end_turn',
    ]);
    const response = client.received.find(({ method }) => method === 'session/prompt')?.message;
    const [userMessage] = client.updates(sessionId, start);
    expect(response?.['result']).toEqual({ messageId: userMessage?.['messageId'] });
  });

  test('is cancelled with those that wait', async () => {
    await using opened = await open(v2);
    const { client, sessionId } = opened;
    await client.request('session/prompt', promptParams(sessionId, 'slow'));
    const held = client.send('session/prompt', promptParams(sessionId, 'held'));
    await counting(client, sessionId);
    client.notify('session/cancel', { sessionId });
    expect((await client.response(held))['error']).toMatchObject({ code: -32800 });
    await client.waitFor(() => tags(client.updates(sessionId)).includes('state_update idle cancelled'));
    expect(await v2.prompt(client, sessionId, 'and now?')).toBe('end_turn');
    expect(JSON.stringify(client.updates(sessionId))).not.toContain('held');
  });

  test('refuses a prompt with an error, and fails with a state', async () => {
    await using opened = await open(v2);
    const { client, sessionId } = opened;
    const start = client.received.length;
    expect(await client.refused('session/prompt', promptParams(sessionId, 'error'))).toMatchObject({
      code: -32603,
    });
    expect(client.updates(sessionId, start)).toEqual([]);
    expect(await v2.prompt(client, sessionId, 'fail')).toBe('error');
    expect(client.updates(sessionId, start).at(-1)).toMatchObject({ state: 'idle', error: { code: -32603 } });
  });

  test('is replayed in the middle without a gap', async () => {
    await using opened = await open(v2);
    const { client, sessionId } = opened;
    const start = client.received.length;
    await client.request('session/prompt', promptParams(sessionId, 'slow'));
    await counting(client, sessionId);
    const middle = client.received.length;
    await v2.replay(client, sessionId);
    const state = client
      .updates(sessionId, middle)
      .find((update) => update['sessionUpdate'] === 'state_update');
    expect(state).toMatchObject({ state: 'running' });
    client.notify('session/cancel', { sessionId });
    await client.waitFor(() => tags(client.updates(sessionId)).includes('state_update idle cancelled'));
    const replayed = client.received.findIndex(
      ({ message }, index) => index >= middle && JSON.stringify(message).includes('"user_message"'),
    );
    expect(fold(client.updates(sessionId, replayed)).entries).toEqual(
      fold(client.updates(sessionId, start)).entries,
    );
  });
});

describe.each(dialects)('a permission in $name', (dialect) => {
  const answers: readonly (readonly [string, JsonObject, string])[] = [
    ['granted', { outcome: { outcome: 'selected', optionId: 'once' } }, 'completed'],
    ['granted for good', { outcome: { outcome: 'selected', optionId: 'always' } }, 'completed'],
    ['refused', { outcome: { outcome: 'selected', optionId: 'refused' } }, 'failed'],
    ['not given', { outcome: { outcome: 'cancelled' } }, 'failed'],
    [
      'answered with an option that was not offered',
      { outcome: { outcome: 'selected', optionId: 'x' } },
      'failed',
    ],
    ['answered with an outcome of the future', { outcome: { outcome: '_later' } }, 'failed'],
  ];

  test.each(answers)('%s', async (_, answer, status) => {
    await using client = await RawClient.start('--state', temporaryFolder(), '--dialect', dialect.name);
    await client.request('initialize', dialect.initialize);
    const sessionId = await newSession(client, cwd);
    let asked = 0;
    client.answer = () => {
      asked += 1;
      return answer;
    };
    expect(await dialect.prompt(client, sessionId, 'edit')).toBe('end_turn');
    const call = fold(client.updates(sessionId)).entries.find(({ key }) => String(key).startsWith('tool'));
    expect(call).toMatchObject({ status, content: [{ type: 'diff' }] });
    await dialect.prompt(client, sessionId, 'edit');
    expect(asked).toBe(JSON.stringify(answer).includes('always') ? 1 : 2);
  });

  test('is withdrawn when the turn is cancelled', async () => {
    await using client = await RawClient.start('--state', temporaryFolder(), '--dialect', dialect.name);
    await client.request('initialize', dialect.initialize);
    const sessionId = await newSession(client, cwd);
    const ended = dialect.prompt(client, sessionId, 'permission');
    const { id = null } = await permissionRequest(client);
    client.notify('session/cancel', { sessionId });
    await client.waitFor(({ method }) => method === '$/cancel_request');
    expect(await ended).toBe('cancelled');
    client.writeLine(JSON.stringify({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'cancelled' } } }));
    const call = fold(client.updates(sessionId)).entries.find(({ key }) => String(key).startsWith('tool'));
    expect(call).toMatchObject({ status: dialect.protocolVersion === 1 ? 'failed' : 'cancelled' });
    expect(await dialect.prompt(client, sessionId, 'and now?')).toBe('end_turn');
  });
});

describe('closing', () => {
  test.each([
    { dialect: v1, answer: { result: { stopReason: 'cancelled' } } },
    { dialect: v2, answer: { error: { code: -32800 } } },
  ])('ends a silence in $dialect.name, which a cancel does not', async ({ dialect, answer }) => {
    await using opened = await open(dialect);
    const { client, sessionId } = opened;
    const silent = client.send('session/prompt', promptParams(sessionId, 'hang'));
    client.notify('session/cancel', { sessionId });
    await client.request('session/list', {});
    expect(client.received.some(({ method }) => method === 'session/prompt')).toBe(false);
    await client.request('session/close', { sessionId });
    expect(await client.response(silent)).toMatchObject(answer);
  });

  test('is answered after the end of the turn, and nothing follows', async () => {
    await using opened = await open(v2);
    const { client, sessionId } = opened;
    await client.request('session/prompt', promptParams(sessionId, 'slow'));
    await counting(client, sessionId);
    await client.request('session/close', { sessionId });
    const closed = client.received.length;
    expect(client.updates(sessionId).at(-1)).toMatchObject({ state: 'idle', stopReason: 'cancelled' });
    await client.end();
    expect(client.received.length).toBe(closed);
  });
});

describe('the program', () => {
  test('stops in the middle of a line when it crashes', async () => {
    await using opened = await open(v1);
    const { client, sessionId } = opened;
    client.send('session/prompt', promptParams(sessionId, 'crash'));
    const { code, stderr, rest } = await client.exit();
    expect(code).toBe(1);
    expect(stderr).toContain('crash');
    expect(rest).not.toBe('');
    expect(() => JSON.parse(rest)).toThrow(SyntaxError);
  });

  test.each(['slow', 'hang', 'permission'])('ends with its stdin, in a turn of "%s" too', async (word) => {
    await using opened = await open(v2);
    const { client, sessionId } = opened;
    client.send('session/prompt', promptParams(sessionId, word));
    if (word === 'permission') await permissionRequest(client);
    if (word === 'slow') await counting(client, sessionId);
    expect(await client.end()).toEqual({ code: 0, stderr: '', rest: '' });
  });

  test('ends with its stdin even if its output is not read', async () => {
    await using opened = await open(v1);
    const { client, sessionId } = opened;
    client.pauseReading();
    client.send('session/prompt', promptParams(sessionId, 'x'.repeat(2_000_000)));
    // By then the agent waits for its output to be read. On a slow machine it does not, and the test shows less.
    await sleep(500);
    expect((await client.end()).code).toBe(0);
  });

  test('waits for a slow reader, and loses nothing', async () => {
    await using opened = await open(v1);
    const { client, sessionId } = opened;
    const text = '0123456789'.repeat(100_000);
    const start = client.received.length;
    client.pauseReading();
    const id = client.send('session/prompt', promptParams(sessionId, text));
    await sleep(200);
    client.resumeReading();
    expect((await client.response(id))['result']).toEqual({ stopReason: 'end_turn' });
    const answer = fold(client.updates(sessionId, start)).entries.at(-1);
    expect(JSON.stringify(answer?.['content'])).toContain(`“${text}”`);
  });
});
