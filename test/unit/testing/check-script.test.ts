import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { readRecords } from '../../../src/records/recording/playback.ts';
import { scriptChecks } from '../../../src/records/testing/check-script.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, refuses, text } from '../../support/agents.ts';

const clientInfo = { name: 'test', version: '0.0.0' };

describe('an update', () => {
  const agent = scriptedAgent({ validate: 'v1' });
  const update = (sent: object) => () => agent.update('s1', sent);

  test('that is right is sent', () => {
    expect(update({ sessionUpdate: 'agent_message_chunk', content: text('Hi.') })).not.toThrow();
    expect(
      update({ sessionUpdate: 'subagent_update', sessionId: 'child', state: { state: 'running' } }),
    ).not.toThrow();
    expect(
      update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', status: undefined }),
    ).not.toThrow();
  });

  test.each([
    [{ sessionUpdate: 'agent_message_chunk', content: 'Hi.' }, 'content'],
    [{ sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', locations: [{ path: 1 }] }, 'locations'],
    [{ sessionUpdate: 'subagent_update', sessionId: 'child', state: 'running' }, 'state'],
    [{ sessionUpdate: 'session_message_chunk', messageId: 'm', content: 'Hi.' }, 'content'],
    [
      { sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', content: [{ type: 'session', id: 's' }] },
      'content',
    ],
    [{ sessionUpdate: 'usage_update', used: 1, size: 2, cost: 'much' }, 'cost'],
    [{ sessionUpdate: 'state_update', state: 'idle' }, 'sessionUpdate must be one of user_message_chunk, '],
    [{ content: text('Hi.') }, 'sessionUpdate'],
  ])('that is wrong is refused: %j', (sent, place) => {
    expect(update(sent)).toThrow(TypeError);
    expect(update(sent)).toThrow(place);
    expect(update(sent)).toThrow('which v1 does not allow');
  });

  test('that is meant to be wrong goes over the channel', () => {
    expect(() => agent.channel.send({ method: 'session/update', params: 1 })).not.toThrow();
  });
});

test('a wrong answer fails the call, and says what is wrong with the script', async () => {
  const agent = scriptedAgent({ validate: 'v1' })
    .on('initialize', everything.v1)
    .on('session/new', { session: 's1' });
  const connection = await connect(agent.transport, { clientInfo });
  await expect(connection.newSession({ cwd: '/project' })).rejects.toThrow(
    /The script sends the answer to session\/new, which v1 does not allow: sessionId/,
  );
  await connection.close();
});

test('a script that fails for a notification is an unhandled rejection, which the test runner reports', async () => {
  const ofVitest = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  onTestFinished(() => {
    for (const listener of ofVitest) process.on('unhandledRejection', listener);
  });
  const rejection = new Promise((resolve) => process.once('unhandledRejection', resolve));
  const agent = scriptedAgent({ validate: 'v1' })
    .on('initialize', everything.v1)
    .on('_refused', refuses(-32602, 'A notification has no answer.'))
    .on('_failed', () => agent.update('s1', { sessionUpdate: 'misspelt' }));
  const connection = await connect(agent.transport, { clientInfo });
  await connection.notify('_refused');
  await connection.notify('_failed');
  expect(String(await rejection)).toContain('The script sends an update, which v1 does not allow');
  await connection.close();
});

const end = { sessionUpdate: 'replay_complete' };

test.each([
  ['loadSession', [{ sessionUpdate: 'subagent_update', sessionId: 'child' }, end], undefined],
  ['loadSession', [], /answer to session\/resume.*v2-baseline.*replay_complete must come before it/],
  ['loadSession', [end, end], /replay_complete, which v2-baseline does not allow: it was sent already/],
  ['resumeSession', [], undefined],
  ['resumeSession', [end], /the client did not ask for a replay/],
] as const)('in version 2, the end of a replay is checked: %s, %j', async (call, updates, reason) => {
  const agent = scriptedAgent({ validate: 'v2-baseline' })
    .on('initialize', everything['v2-baseline'])
    .on('session/resume', () => {
      agent.update('s1', ...updates);
      // A subagent that was announced meanwhile has an end of its own.
      if (updates.length === 2 && !reason) agent.update('child', end);
      return {};
    });
  const connection = await connect(agent.transport, { clientInfo, onDiagnostic: () => {} });
  onTestFinished(() => connection.close());
  const opened = connection[call]({ sessionId: 's1', cwd: process.cwd() });
  if (reason) await expect(opened).rejects.toThrow(reason);
  else await opened;
});

test('a wrong question is refused where it is asked', () => {
  const agent = scriptedAgent({ validate: 'v2-baseline' });
  expect(() => agent.request('session/request_permission', { sessionId: 's1' })).toThrow('title');
  expect(() => agent.request('fs/read_text_file', { path: '/a' })).toThrow('a client has no such method');
  expect(() => agent.notify('_own/news', { a: 1 })).not.toThrow();
});

test('an answer to a method that is misspelt is refused', () => {
  const agent = scriptedAgent({ validate: 'v1' });
  expect(() => agent.on('session/promt', {})).toThrow('session/promt, but no agent has this method');
  const right = ['initialize', 'session/prompt', 'session/cancel', '$/cancel_request', 'mcp/message', '_own'];
  for (const method of right) expect(() => agent.on(method, {})).not.toThrow();
});

test.each(dialectNames)('what %s advertises with everything in it is right', (dialect) => {
  expect(() => scriptChecks(dialect).result('initialize', everything[dialect])).not.toThrow();
});

/** One agent has a category of its own whose name does not begin with `_`. */
function withoutReservedNames(params: unknown): unknown {
  return JSON.parse(
    JSON.stringify(params ?? null).replaceAll('"collaboration_mode"', '"_collaboration_mode"'),
  );
}

describe('what real agents sent', () => {
  const folder = new URL('../../fixtures/traffic/', import.meta.url);
  const recordings = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));

  test.each(recordings)('%s is right', (name) => {
    const dialect: DialectName = name.includes('.v2') ? 'v2-baseline' : 'v1';
    const checks = scriptChecks(dialect);
    const messages = readRecords(readFileSync(new URL(name, folder), 'utf8')).flatMap(({ dir, msg }) =>
      dir === 'in' ? [msg as { method?: string; params?: unknown }] : [],
    );
    for (const { method, params } of messages) {
      if (method !== undefined)
        expect(() => checks.message(method, withoutReservedNames(params))).not.toThrow();
    }
  });
});
