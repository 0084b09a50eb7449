import { once } from 'node:events';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ToolContext, type ToolTransport, toolServer } from '../../../src/entries/tools.ts';
import { type Answer, noAnswer } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { describedTo, type McpEra, toolClient } from '../../support/tool-client.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const ways = [
  ['acp', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const satisfies readonly (readonly [ToolTransport, McpEra])[];

async function callThatWaits(transport: ToolTransport, era: McpEra, onClose: Answer = {}) {
  const begun: ToolContext[] = [];
  const editor = toolServer({
    name: 'editor',
    transports: [transport],
    tools: {
      wait: {
        description: 'Waits.',
        run: (_, context) => {
          begun.push(context);
          return new Promise<string>(() => {});
        },
      },
    },
  });
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    script: (scripted) => scripted.on('session/new', { sessionId: 's1' }).on('session/close', onClose),
  });
  ends.push(() => connection.close());
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  const client = await toolClient(agent, describedTo(agent), era);
  ends.push(() => client.close());
  const control = new AbortController();
  const call = client.callTool({ name: 'wait' }, { signal: control.signal });
  call.catch(() => {});
  await expect.poll(() => begun.length).toBe(1);
  const signal = (begun[0] as ToolContext).signal;
  const interrupted = () => diagnostics.filter(({ rule }) => rule === 'tools.interrupted');
  return { connection, session, client, control, signal, interrupted };
}

describe.each(ways)('a call over %s, %s versions of MCP', (transport, era) => {
  test('whose connection is closed before the end of the agent is reported once, with its tool', async () => {
    const { connection, client, signal, interrupted } = await callThatWaits(transport, era);
    await client.close();
    await connection.close();
    expect(signal.aborted).toBe(true);
    expect(interrupted()).toHaveLength(1);
    expect(interrupted()[0]?.message).toContain('a call of wait');
  });

  test('whose connection is closed by the end of the agent is aborted for that reason', async () => {
    const { connection, client, signal } = await callThatWaits(transport, era);
    // An agent that is killed closes its connections, and its end is noticed later.
    await client.close();
    await connection.close();
    expect(String(signal.reason)).toBe('AbortError: The session is over.');
  });

  test('that the user cancelled is not reported at the end of the agent', async () => {
    const { connection, session, signal, interrupted } = await callThatWaits(transport, era);
    await session.cancel();
    expect(signal.aborted).toBe(true);
    await connection.close();
    expect(interrupted()).toEqual([]);
  });
});

test('a call is aborted when the user closes its session, before the agent has answered', async () => {
  const { session, signal } = await callThatWaits('acp', 'modern', () => noAnswer);
  session.close().catch(() => {});
  expect(String(signal.reason)).toBe('AbortError: The session is over.');
});

test.each([
  ['less than a second before its end is reported', 999, ['a call of wait.']],
  ['a second before its end is not reported', 1000, []],
])('a call that the agent cancelled %s', async (_, ms, calls) => {
  const { connection, control, signal, interrupted } = await callThatWaits('stdio', 'legacy');
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(5000);
  control.abort();
  // Not with `expect.poll`, which lets simulated time pass.
  if (!signal.aborted) await once(signal, 'abort');
  vi.advanceTimersByTime(ms);
  await connection.close();
  expect(interrupted().map(({ message }) => message)).toEqual(
    calls.map((call) => expect.stringContaining(`during ${call}`)),
  );
});

test('a call whose connection was closed a second before the end of the agent is not reported', async () => {
  const { connection, client, signal, interrupted } = await callThatWaits('http', 'modern');
  await client.close();
  await eventually(() => signal.aborted).toBe(true);
  expect(String(signal.reason)).toBe('AbortError: The agent cancelled the call.');
  await connection.close();
  expect(interrupted()).toEqual([]);
});
