import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ToolContext, type ToolTransport, toolServer } from '../../../src/entries/tools.ts';
import { connectTo, everything } from '../../support/agents.ts';
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

async function callThatWaits(transport: ToolTransport, era: McpEra) {
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
    script: (scripted) => scripted.on('session/new', { sessionId: 's1' }).on('session/close', {}),
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

test('a call that the agent cancelled a while before its end is not reported', async () => {
  const { connection, control, signal, interrupted } = await callThatWaits('stdio', 'legacy');
  control.abort();
  await expect.poll(() => signal.aborted).toBe(true);
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(60 * 60_000);
  await connection.close();
  expect(interrupted()).toEqual([]);
});

test('a call that the agent cancelled at its end is reported', async () => {
  const { connection, control, signal, interrupted } = await callThatWaits('stdio', 'legacy');
  control.abort();
  await expect.poll(() => signal.aborted).toBe(true);
  await connection.close();
  expect(interrupted()).toHaveLength(1);
});
