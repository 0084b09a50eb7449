import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../../src/base/wait.ts';
import type { Tool } from '../../../src/entries/tools.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { maxOpenRequests } from '../../../src/tools/socket-wire.ts';
import { settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { leftOf, openTools, transports, waitingTool, ways } from '../../support/open-tools.ts';
import { allHappened, passTime, stopClock } from '../../support/timed-acp-server.ts';
import { describedTo } from '../../support/tool-client.ts';

/**
 * Calls the tool `wait`, and cancels the call when the tool runs. Then the clock stops: however slow the machine is, the
 * end of the agent comes in time.
 */
async function cancelCall(client: Client, begun: () => number): Promise<void> {
  const control = new AbortController();
  client.callTool({ name: 'wait' }, { signal: control.signal }).catch(() => {});
  await eventually(begun).toBe(1);
  stopClock();
  control.abort();
  // The cancel arrives before this is answered.
  await client.listTools();
}

const reasonOf = (signal: AbortSignal | undefined) => String(signal?.reason);

/** What a call came to, for the agent. */
function outcome(
  call: Promise<{ readonly content?: unknown; readonly isError?: unknown }>,
): Promise<unknown> {
  return call.then(
    ({ content, isError }) => ({ content, isError }),
    (error: unknown) => (error instanceof Error ? 'an error' : error),
  );
}

const cancelledCall = { isError: true, content: [{ type: 'text', text: 'The call was cancelled.' }] };

describe.each(ways)('over %s, %s versions of MCP', (transport, era) => {
  test('a call that the agent cancels is aborted, and progress after it is dropped', async () => {
    const reports: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const wait: Tool = {
      description: 'Waits.',
      run: (_input, { signal, progress }) => {
        signals.push(signal);
        reports.push(() => progress({ progress: 2 }));
        progress({ progress: 1, total: 2, message: 'half' });
        return new Promise(() => {});
      },
    };
    const { client, diagnostics } = await openTools({ wait }, { transport, era });
    const control = new AbortController();
    const progressed: unknown[] = [];
    const onprogress = (progress: unknown) => {
      progressed.push(progress);
      control.abort();
    };
    await expect(client.callTool({ name: 'wait' }, { signal: control.signal, onprogress })).rejects.toThrow();
    await eventually(() => signals[0]?.aborted).toBe(true);
    expect(reasonOf(signals[0])).toBe('AbortError: The agent cancelled the call.');
    for (const report of reports) report();
    // The connection goes on.
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(progressed).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('session.cancel() aborts the calls of the session, and the agent gets an answer', async () => {
    const { tool, signals } = waitingTool();
    const { client, session, agent, diagnostics } = await openTools({ wait: tool }, { transport, era });
    agent.on('session/prompt', () => noAnswer);
    const turn = session.prompt('Go.');
    turn.catch(() => {});
    const { id } = await agent.called('session/prompt');
    const call = outcome(client.callTool({ name: 'wait' }));
    await eventually(() => signals).toHaveLength(1);
    await session.cancel();
    expect(reasonOf(signals[0])).toBe('AbortError: The turn was cancelled.');
    expect(await call).toEqual(cancelledCall);
    agent.answer(id as number, { stopReason: 'cancelled' });
    await turn;
    // The next turn can use the tools.
    void outcome(client.callTool({ name: 'wait' }));
    await eventually(() => signals).toHaveLength(2);
    expect(signals[1]?.aborted).toBe(false);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('session.close() aborts the calls, and the agent gets an answer before the session is closed', async () => {
    const { tool, signals } = waitingTool();
    const { client, session, diagnostics, agent } = await openTools({ wait: tool }, { transport, era });
    const call = outcome(client.callTool({ name: 'wait' }));
    await eventually(() => signals).toHaveLength(1);
    let closedAtAgent: Promise<unknown> = Promise.resolve();
    agent.on('session/close', async () => {
      closedAtAgent = call;
      await call;
      return {};
    });
    await session.close();
    expect(reasonOf(signals[0])).toBe('AbortError: The session is over.');
    expect(await closedAtAgent).toEqual(cancelledCall);
    expect(diagnostics.filter(({ rule }) => rule === 'tools.interrupted')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('during a call of wait.') },
    ]);
    await expect(client.callTool({ name: 'wait' })).rejects.toThrow();
    expect(signals).toHaveLength(1);
    expect(await leftOf(describedTo(agent))).toEqual([]);
  });
});

describe.each(transports)('over %s', (transport) => {
  test('a prompt whose signal is aborted aborts the calls of its session', async () => {
    const { tool, signals } = waitingTool();
    const { client, session, agent } = await openTools({ wait: tool }, { transport });
    agent.on('session/prompt', () => noAnswer);
    const control = new AbortController();
    session.prompt('Go.', { signal: control.signal }).catch(() => {});
    await agent.called('session/prompt');
    const call = outcome(client.callTool({ name: 'wait' }));
    await eventually(() => signals).toHaveLength(1);
    control.abort();
    await eventually(() => signals[0]?.aborted).toBe(true);
    expect(reasonOf(signals[0])).toBe('AbortError: The turn was cancelled.');
    expect(await call).toEqual(cancelledCall);
  });

  test('connection.close() aborts the calls, and nothing is left', async () => {
    const { tool, signals } = waitingTool();
    const { client, connection, agent, diagnostics } = await openTools({ wait: tool }, { transport });
    const call = outcome(client.callTool({ name: 'wait' }));
    await eventually(() => signals).toHaveLength(1);
    await connection.close();
    expect(reasonOf(signals[0])).toBe('AbortError: The session is over.');
    await client.close();
    await call;
    expect(diagnostics.filter(({ rule }) => rule === 'tools.interrupted')).toHaveLength(1);
    expect(await leftOf(describedTo(agent))).toEqual([]);
  });

  test.skipIf(transport === 'acp')(
    'a call that a part of the agent cancels when the agent is killed says that the session is over',
    async () => {
      const { tool, signals } = waitingTool();
      const { client, connection, agent, diagnostics } = await openTools({ wait: tool }, { transport });
      await cancelCall(client, () => signals.length);
      expect(signals[0]?.aborted).toBe(false);
      agent.channel.exit({ exitCode: null, signal: 'SIGKILL' });
      await connection.closed;
      expect(reasonOf(signals[0])).toBe('AbortError: The session is over.');
      const ended = diagnostics.filter(({ rule }) => rule === 'tools.interrupted');
      expect(ended).toMatchObject([{ message: expect.stringContaining('during a call of wait.') }]);
    },
  );

  test('a call that ends while its cancel waits for the end of the agent is not reported', async () => {
    const end = deferred<string>();
    let begun = 0;
    const run = () => {
      begun++;
      return end.promise;
    };
    const { client, connection, diagnostics } = await openTools(
      { wait: { description: 'Ignores its signal.', run } },
      { transport },
    );
    await cancelCall(client, () => begun);
    end.resolve('done');
    await allHappened();
    await connection.close();
    const expected = transport === 'acp' ? 1 : 0;
    expect(diagnostics.filter(({ rule }) => rule === 'tools.interrupted')).toHaveLength(expected);
  });

  test('a crash of the agent aborts the calls, and a diagnostic says which', async () => {
    const { tool, signals } = waitingTool();
    const { client, connection, agent, diagnostics } = await openTools(
      { wait: tool, look: waitingTool().tool },
      { transport },
    );
    const calls = [client.callTool({ name: 'wait' }), client.callTool({ name: 'wait' })].map(outcome);
    await eventually(() => signals).toHaveLength(2);
    agent.channel.exit({ exitCode: 7, signal: null });
    await connection.closed;
    await eventually(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(reasonOf(signals[1])).toBe('AbortError: The session is over.');
    await client.close();
    await Promise.all(calls);
    const interrupted = diagnostics.filter(({ rule }) => rule === 'tools.interrupted');
    expect(interrupted.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The session or the agent ended during 2 calls of wait\. /),
    ]);
    await eventually(() => leftOf(describedTo(agent))).toEqual([]);
  });
});

test('a tool that ignores its signal holds nothing up, and what it returns or throws later is dropped', async () => {
  const later: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  const ignoring: Tool = {
    description: 'x',
    run: () => new Promise<string>((resolve, reject) => later.push({ resolve, reject })),
  };
  const { client, session, diagnostics } = await openTools({ ignoring });
  const calls = [client.callTool({ name: 'ignoring' }), client.callTool({ name: 'ignoring' })].map(outcome);
  await eventually(() => later).toHaveLength(2);
  await session.close();
  // The answer may come too late: the session is over at once.
  for (const ended of await Promise.all(calls)) expect([cancelledCall, 'an error']).toContainEqual(ended);
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  try {
    later[0]?.resolve('late');
    later[1]?.reject(new Error('late'));
    await settle();
  } finally {
    process.off('unhandledRejection', listener);
  }
  expect(unhandled).toEqual([]);
  expect(diagnostics.filter(({ severity }) => severity !== 'info')).toMatchObject([
    { rule: 'tools.interrupted' },
  ]);
});

test('a call that was cancelled before its tool runs does not run it', async () => {
  let validate: () => void = () => {};
  const runs: unknown[] = [];
  const slow: Tool = {
    description: 'x',
    input: {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value: unknown) => new Promise((resolve) => (validate = () => resolve({ value }))),
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
      // Libraries add the member with the JSON Schema to the standard.
    } as never,
    run: () => {
      runs.push('run');
    },
  };
  const { client } = await openTools({ slow });
  const control = new AbortController();
  const call = client.callTool({ name: 'slow' }, { signal: control.signal });
  await settle();
  control.abort();
  await expect(call).rejects.toThrow();
  await settle();
  validate();
  await settle();
  expect(runs).toEqual([]);
});

test('over acp, a call that the agent cancels is aborted at once', async () => {
  const { tool, signals } = waitingTool();
  const { client } = await openTools({ wait: tool });
  await cancelCall(client, () => signals.length);
  expect(signals[0]?.aborted).toBe(true);
});

test('a call whose input is still checked ends with the turn', async () => {
  let checks = 0;
  const validate = () => {
    checks++;
    return new Promise(() => {});
  };
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: { input: () => ({ type: 'object' }) } };
  // Libraries add the member with the JSON Schema to the standard.
  const input = { '~standard': standard } as never;
  const { client, session } = await openTools({ slow: { description: 'x', input, run: () => 'ran' } });
  const answers: unknown[] = [];
  void outcome(client.callTool({ name: 'slow' })).then((answer) => answers.push(answer));
  await eventually(() => checks).toBe(1);
  stopClock();
  await session.cancel();
  await passTime(1000);
  expect(answers).toEqual([cancelledCall]);
});

test('the calls of one session do not end with the turn of another', async () => {
  const { tool, signals } = waitingTool();
  const { client, connection, agent, editor } = await openTools({ wait: tool });
  const other = await connection.newSession({ cwd, mcpServers: [editor] });
  agent.on('session/prompt', () => noAnswer);
  other.prompt('Go.').catch(() => {});
  await agent.called('session/prompt');
  void outcome(client.callTool({ name: 'wait' }));
  await eventually(() => signals).toHaveLength(1);
  await other.cancel();
  await other.close();
  await settle();
  expect(signals[0]?.aborted).toBe(false);
});

test('the answer to a call of a cancelled turn waits for the cancel of the agent, one second at most', async () => {
  const { tool, signals } = waitingTool();
  const { client, session, agent } = await openTools({ wait: tool });
  agent.on('session/prompt', () => noAnswer);
  session.prompt('Go.').catch(() => {});
  await agent.called('session/prompt');
  const answers: unknown[] = [];
  void outcome(client.callTool({ name: 'wait' })).then((answer) => answers.push(answer));
  await eventually(() => signals).toHaveLength(1);
  stopClock();
  await session.cancel();
  expect(signals[0]?.aborted).toBe(true);
  await passTime(999);
  expect(answers).toEqual([]);
  await passTime(1);
  expect(answers).toEqual([cancelledCall]);
});

test.each([
  ['with a token', [1]],
  ['without one', []],
])(
  'a tool can call progress at any time, %s, and after its result nothing is sent',
  async (_, progressed) => {
    const said = text('x');
    let tell = () => {};
    const { client, agent, connection } = await openTools({
      wait: {
        description: 'x',
        run: (_input, { progress }) => {
          tell = () => progress({ progress: 1 });
          tell();
          return said;
        },
      },
    });
    const got: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => got.push(progress);
    const options = progressed.length > 0 ? { onprogress } : {};
    expect((await client.callTool({ name: 'wait' }, options)).content).toEqual([said]);
    tell();
    await connection.close();
    tell();
    await settle();
    expect(got).toEqual(progressed);
    expect(agent.calls('mcp/message')).toHaveLength(progressed.length);
  },
);

test('an agent over stdio that has cancelled more calls than can be open is served', async () => {
  let begun = 0;
  const wait: Tool = {
    description: 'Waits for the end of its call.',
    run: (_input, { signal }) =>
      new Promise((_, reject) => {
        begun++;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  const { client } = await openTools(
    { wait, greet: { description: 'x', run: () => 'hi' } },
    { transport: 'stdio' },
  );
  for (let count = 1; count <= maxOpenRequests; count++) {
    const control = new AbortController();
    const call = client.callTool({ name: 'wait' }, { signal: control.signal }).catch(() => {});
    await eventually(() => begun).toBe(count);
    control.abort();
    await call;
  }
  expect((await client.callTool({ name: 'greet' })).content).toMatchObject([{ text: 'hi' }]);
});
