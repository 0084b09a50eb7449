import { once } from 'node:events';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import type { Tool } from '../../../src/entries/tools.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import type { ToolTransport } from '../../../src/tools/endpoint.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { type OpenToolsOptions, openTools, ownSchema, waitingTool } from '../../support/open-tools.ts';
import { allHappened, passTime, stopClock } from '../../support/timed-acp-server.ts';
import type { McpEra } from '../../support/tool-client.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';

/** A session whose agent is in a turn, and calls the tool `wait`. */
async function callThatWaits(options: OpenToolsOptions = {}, tool: Tool = waitingTool().tool) {
  const signals: AbortSignal[] = [];
  const run: Tool['run'] = (input, context) => {
    signals.push(context.signal);
    return tool.run(input, context);
  };
  const opened = await openTools({ wait: { ...tool, run } }, options);
  const { agent, client, session, diagnostics } = opened;
  agent.on('session/prompt', () => noAnswer);
  const ended = new AbortController();
  session.prompt('Go.', { signal: ended.signal }).catch(() => {});
  await agent.called('session/prompt');
  const control = new AbortController();
  const call = () => outcome(client.callTool({ name: 'wait' }, { signal: control.signal }));
  const answer = call();
  await eventually(() => signals).toHaveLength(1);
  return {
    ...opened,
    /** What the call came to, for the agent. */
    answer,
    call,
    signals,
    /** Ends the turn. */
    abortPrompt: () => ended.abort(),
    /** The agent cancels its calls. */
    cancelCall: () => control.abort(),
    reason: (index = 0) => String(signals[index]?.reason),
    interrupted: () =>
      diagnostics.filter(({ rule }) => rule === 'tools.interrupted').map(({ message }) => message),
  };
}

function outcome(call: ReturnType<Client['callTool']>): Promise<unknown> {
  return call.then(
    ({ content, isError }) => ({ content, isError }),
    (error: unknown) => (error instanceof Error ? 'an error' : error),
  );
}

const cancelledCall = { isError: true, content: [{ type: 'text', text: 'The call was cancelled.' }] };
const turnCancelled = 'AbortError: The turn was cancelled.';
const agentCancelled = 'AbortError: The agent cancelled the call.';
const sessionOver = 'AbortError: The session is over.';

describe('the user', () => {
  test('who cancels a turn ends its calls, whose answers wait for the cancel of the agent, one second at most', async () => {
    const { session, answer, call, signals, reason } = await callThatWaits();
    const answers: unknown[] = [];
    void answer.then((came) => answers.push(came));
    stopClock();
    await session.cancel();
    expect(reason()).toBe(turnCancelled);
    await passTime(999);
    expect(answers).toEqual([]);
    await passTime(1);
    expect(answers).toEqual([cancelledCall]);
    // The next turn can use the tools.
    void call();
    await allHappened();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test('who aborts a prompt ends the calls of its session', async () => {
    const { abortPrompt, signals, reason } = await callThatWaits();
    abortPrompt();
    await eventually(() => signals[0]?.aborted).toBe(true);
    expect(reason()).toBe(turnCancelled);
  });

  test('who closes a session ends its calls, and the agent gets an answer before the session is closed', async () => {
    const { agent, session, answer, reason, interrupted } = await callThatWaits();
    let closedAtAgent: unknown;
    agent.on('session/close', async () => {
      closedAtAgent = await answer;
      return {};
    });
    stopClock();
    const closing = session.close();
    // Also before the agent has answered.
    expect(reason()).toBe(sessionOver);
    await passTime(1000);
    await closing;
    expect(closedAtAgent).toEqual(cancelledCall);
    expect(interrupted()).toEqual([expect.stringContaining('during a call of wait.')]);
  });

  test('who cancels the turn of another session, and closes it, ends no call of this one', async () => {
    const { connection, editor, signals } = await callThatWaits();
    const other = await connection.newSession({ cwd, mcpServers: [editor] });
    other.prompt('Go.').catch(() => {});
    await other.cancel();
    await other.close();
    await settle();
    expect(signals[0]?.aborted).toBe(false);
  });

  test('who cancels a turn ends a call whose input is still checked', async () => {
    let checks = 0;
    const validate = () => {
      checks++;
      return new Promise(() => {});
    };
    const { client, session } = await openTools({
      slow: { description: 'x', input: ownSchema(validate), run: () => 'ran' },
    });
    const answers: unknown[] = [];
    void outcome(client.callTool({ name: 'slow' })).then((answer) => answers.push(answer));
    await eventually(() => checks).toBe(1);
    stopClock();
    await session.cancel();
    await passTime(1000);
    expect(answers).toEqual([cancelledCall]);
  });
});

test('a call that was cancelled before its tool runs does not run it', async () => {
  const checked = deferred();
  const runs: unknown[] = [];
  const validate = (value: unknown) => checked.promise.then(() => ({ value }));
  const run = () => void runs.push('run');
  const { client } = await openTools({ slow: { description: 'x', input: ownSchema(validate), run } });
  const control = new AbortController();
  const call = client.callTool({ name: 'slow' }, { signal: control.signal });
  await settle();
  control.abort();
  await expect(call).rejects.toThrow();
  await settle();
  checked.resolve();
  await settle();
  expect(runs).toEqual([]);
});

test('a tool that ignores its signal holds nothing up, and what it returns or throws later is dropped', async () => {
  const later: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  const run = () => new Promise<string>((resolve, reject) => later.push({ resolve, reject }));
  const { session, answer, call, diagnostics } = await callThatWaits({}, { description: 'x', run });
  const calls = [answer, call()];
  await eventually(() => later).toHaveLength(2);
  await session.close();
  // The answer may come too late: the session is over at once.
  for (const ended of await Promise.all(calls)) expect([cancelledCall, 'an error']).toContainEqual(ended);
  const unhandled = unhandledErrors();
  later[0]?.resolve('late');
  later[1]?.reject(new Error('late'));
  await settle();
  expect(unhandled).toEqual([]);
  expect(diagnostics.filter(({ severity }) => severity !== 'info')).toMatchObject([
    { rule: 'tools.interrupted' },
  ]);
});

test('a crash of the agent ends the calls, and a diagnostic says which', async () => {
  const { agent, client, connection, answer, call, signals, reason, interrupted } = await callThatWaits();
  const calls = [answer, call()];
  await eventually(() => signals).toHaveLength(2);
  agent.channel.exit({ exitCode: 7, signal: null });
  await connection.closed;
  expect([reason(0), reason(1)]).toEqual([sessionOver, sessionOver]);
  await client.close();
  await Promise.all(calls);
  expect(interrupted()).toEqual([
    expect.stringMatching(/^The session or the agent ended during 2 calls of wait\. /),
  ]);
});

/** Ways that are another connection than the one to the agent: a call ends with a notification, or with its connection. */
const separate = [
  ['http', 'legacy'],
  ['http', 'modern'],
] as const satisfies readonly (readonly [ToolTransport, McpEra])[];

describe.each(separate)('over %s, %s versions of MCP, a call that the agent cancels', (transport, era) => {
  test('because it is killed says that the session is over', async () => {
    const at = await callThatWaits({ transport, era });
    // However slow the machine is, the end of the agent comes in time.
    stopClock();
    at.cancelCall();
    // The cancel arrives before this is answered.
    await at.client.listTools();
    expect(at.signals[0]?.aborted).toBe(false);
    at.agent.channel.exit({ exitCode: null, signal: 'SIGKILL' });
    await at.connection.closed;
    expect(at.reason()).toBe(sessionOver);
    expect(at.interrupted()).toEqual([expect.stringContaining('during a call of wait.')]);
  });

  test('and that ends before its cancel counts is not reported', async () => {
    const end = deferred<string>();
    const at = await callThatWaits({ transport, era }, { description: 'x', run: () => end.promise });
    stopClock();
    at.cancelCall();
    await at.client.listTools();
    end.resolve('done');
    await allHappened();
    await at.connection.close();
    expect(at.interrupted()).toEqual([]);
  });
});

test('over acp, a call that the agent cancels is ended at once, and is reported at the end of the agent', async () => {
  const { client, connection, cancelCall, reason, interrupted } = await callThatWaits();
  stopClock();
  cancelCall();
  await client.listTools();
  expect(reason()).toBe(agentCancelled);
  await connection.close();
  expect(interrupted()).toHaveLength(1);
});

describe('the end of an agent', () => {
  test.each([...separate, ['stdio', 'legacy']] as const)(
    'over %s, %s versions of MCP, that closed the connection of a call before is reported once, with its tool',
    async (transport, era) => {
      const { client, connection, reason, interrupted } = await callThatWaits({ transport, era });
      // An agent that is killed closes its connections, and its end is noticed later.
      await client.close();
      await connection.close();
      expect(reason()).toBe(sessionOver);
      expect(interrupted()).toEqual([expect.stringContaining('a call of wait')]);
    },
  );

  test('is not reported for a call that the user cancelled', async () => {
    const { session, connection, signals, interrupted } = await callThatWaits();
    await session.cancel();
    expect(signals[0]?.aborted).toBe(true);
    await connection.close();
    expect(interrupted()).toEqual([]);
  });

  test.each([
    ['less than a second', 999, ['a call of wait.']],
    ['a second', 1000, []],
  ])('is reported for a call that was cancelled %s before: %i', async (_, ms, calls) => {
    const at = await callThatWaits({ transport: 'http', era: 'legacy' });
    vi.useFakeTimers({ toFake: ['performance'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    vi.advanceTimersByTime(5000);
    at.cancelCall();
    const [signal] = at.signals as [AbortSignal];
    // Not with `expect.poll`, which lets simulated time pass.
    if (!signal.aborted) await once(signal, 'abort');
    vi.advanceTimersByTime(ms);
    await at.connection.close();
    expect(at.interrupted()).toEqual(calls.map((call) => expect.stringContaining(`during ${call}`)));
  });

  test('is not reported for a call whose connection was closed a second before', async () => {
    const at = await callThatWaits({ transport: 'http' });
    await at.client.close();
    await eventually(() => at.signals[0]?.aborted).toBe(true);
    expect(at.reason()).toBe(agentCancelled);
    await at.connection.close();
    expect(at.interrupted()).toEqual([]);
  });
});

test.each([...separate, ['stdio', 'legacy'], ['acp', 'modern']] as const)(
  'over %s, %s versions of MCP, any number of calls that the agent cancels leaves the tools usable',
  async (transport, era) => {
    const run: Tool['run'] = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { client } = await openTools(
      { wait: { description: 'x', run }, add: { description: 'x', run: () => 'added' } },
      { transport, era },
    );
    for (let round = 0; round < 6; round++) {
      const calls = Array.from({ length: 20 }, () => {
        const control = new AbortController();
        return { control, call: outcome(client.callTool({ name: 'wait' }, { signal: control.signal })) };
      });
      await client.listTools();
      for (const { control } of calls) control.abort();
      await Promise.all(calls.map(({ call }) => call));
      await eventually(() => outcome(client.callTool({ name: 'add' }))).toMatchObject({
        content: [{ text: 'added' }],
      });
    }
  },
);
