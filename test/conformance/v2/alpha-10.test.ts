import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { flush, openSession } from '../../support/open-session.ts';
import { says } from '../../support/updates.ts';

/** What the tenth alpha of version 2 changed. */

const clientInfo = { name: 'editor', version: '1.0.0' };
const info = { name: 'scripted', version: '1' };
const initialized = { protocolVersion: 2, info, capabilities: { session: {} } };

async function folded(...updates: readonly object[]) {
  const { agent, conversation } = await openSession('v2-baseline');
  agent.update('s1', ...updates);
  await flush(agent);
  return conversation();
}

test('ClientAuthCapabilities is advertised as an object with a marker for the terminal', async () => {
  for (const terminalLogin of [true, false]) {
    const agent = scriptedAgent().on('initialize', initialized);
    await connect(agent.transport, {
      clientInfo,
      terminalLogin,
      protocolVersions: [2],
      onDiagnostic: () => {},
    });
    const [{ params } = {}] = agent.calls('initialize');
    const capabilities = params?.['capabilities'];
    expect(Reflect.get(Object(capabilities), 'auth')).toEqual(terminalLogin ? { terminal: {} } : undefined);
  }
});

test('the exit code of a terminal can be negative, and wider than 32 bits', async () => {
  const exit = (terminalId: string, exitCode: number) => ({
    sessionUpdate: 'terminal_update',
    terminalId,
    exitStatus: { exitCode },
  });
  const { terminals } = await folded(exit('a', -1_073_741_510), exit('b', 2 ** 40));
  expect(terminals['a']?.exitStatus).toMatchObject({ exitCode: -1_073_741_510 });
  expect(terminals['b']?.exitStatus).toMatchObject({ exitCode: 2 ** 40 });
});

test('a size can be larger than 32 bits, up to the largest unsigned number of 64 bits', async () => {
  const largest = 2 ** 64 - 1;
  const link = { type: 'resource_link', uri: 'file:///huge.bin', name: 'huge.bin', size: 2 ** 40 };
  const { usage, entries } = await folded(
    { sessionUpdate: 'usage_update', used: 2 ** 33, size: largest },
    { sessionUpdate: 'agent_message', messageId: 'm1', content: [link] },
  );
  expect(usage).toMatchObject({ used: 2 ** 33, size: largest });
  expect(entries).toMatchObject([{ content: [link] }]);
});

test('the client never uses null as an id, and an update whose id is null is malformed', async () => {
  const { agent, conversation } = await openSession('v2-baseline');
  const block = { type: 'text', text: 'lost' };
  agent.update(
    's1',
    { sessionUpdate: 'agent_message_chunk', messageId: null, content: block },
    { sessionUpdate: 'tool_call_update', toolCallId: null },
    says('kept', 'm1'),
  );
  await flush(agent);
  expect(conversation().entries).toMatchObject([{ messageId: 'm1' }]);
  const requests = agent.received.filter(({ method, id }) => method !== undefined && id !== undefined);
  expect(requests.length).toBeGreaterThan(1);
  expect(requests.filter(({ id }) => id === null)).toEqual([]);
});
