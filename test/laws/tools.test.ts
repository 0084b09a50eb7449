import type { Client } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { Tool, ToolContext } from '../../src/entries/tools.ts';
import type { ToolTransport } from '../../src/tools/endpoint.ts';
import { eventually } from '../support/eventually.ts';
import { cwd } from '../support/open-session.ts';
import { connectTools, leftOf, serverOf } from '../support/open-tools.ts';
import { describedTo, toolClient } from '../support/tool-client.ts';

const doings = [
  'open',
  'call',
  'call',
  'call',
  'progress',
  'finish',
  'fail',
  'cancel call',
  'cancel turn',
  'close',
  'crash',
] as const;

interface Step {
  readonly do: (typeof doings)[number];
  /** Which of the sessions or calls it concerns. */
  readonly which: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.record({ do: fc.constantFrom(...doings), which: fc.nat(20) }), { minLength: 4, maxLength: 14 })
  .map((rest) => [{ do: 'open', which: 0 }, { do: 'call', which: 0 }, ...rest]);

interface OpenedSession {
  readonly session: Session;
  readonly client: Client;
}

interface Call {
  readonly id: number;
  readonly opened: OpenedSession;
  readonly control: AbortController;
  /** How the agent sees the end of the call, in order: there is one. */
  readonly ends: string[];
  readonly progressed: string[];
}

interface Run {
  readonly context: ToolContext;
  /** Whether the tool has returned or thrown. */
  isOver: boolean;
  resolve(text: string): void;
  reject(error: Error): void;
}

/** Does the steps, and checks after them that nothing is left. */
async function play(transport: ToolTransport, list: readonly Step[]): Promise<void> {
  const runs = new Map<number, Run[]>();
  const hold: Tool = {
    description: 'Runs until the test ends it.',
    input: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    run: ({ id }, context) =>
      new Promise<string>((resolve, reject) => {
        const run: Run = { context, isOver: false, resolve, reject };
        runs.set(Number(id), [...(runs.get(Number(id)) ?? []), run]);
      }),
  };
  const editor = serverOf({ hold }, transport);
  const { agent, connection } = await connectTools();
  const descriptions: JsonObject[] = [];
  const sessions: OpenedSession[] = [];
  const calls: Call[] = [];
  const isOpen = ({ session }: OpenedSession) => !session.isClosed && connection.state === 'open';
  const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % from.length];
  const under = () => calls.filter(({ ends }) => ends.length === 0);
  const runOf = (call: Call | undefined) => call && runs.get(call.id)?.[0];

  const end = (which: number, how: (run: Run) => void) => {
    const run = runOf(pick(under(), which));
    if (!run || run.isOver) return;
    run.isOver = true;
    how(run);
  };
  const does: Record<Step['do'], (which: number) => unknown> = {
    open: async () => {
      if (connection.state !== 'open' || sessions.length >= 3) return;
      const session = await connection.newSession({ cwd, mcpServers: [editor] });
      const description = describedTo(agent);
      descriptions.push(description);
      sessions.push({ session, client: await toolClient(agent, description, 'modern') });
    },
    call: async (which) => {
      const opened = pick(sessions.filter(isOpen), which);
      if (!opened) return;
      const call: Call = {
        id: calls.length,
        opened,
        control: new AbortController(),
        ends: [],
        progressed: [],
      };
      calls.push(call);
      const { client } = opened;
      client
        .callTool(
          { name: 'hold', arguments: { id: call.id } },
          {
            signal: call.control.signal,
            onprogress: ({ message }) => call.progressed.push(String(message)),
          },
        )
        .then(
          ({ content }) => call.ends.push(JSON.stringify(content)),
          () => call.ends.push('an error'),
        );
      await eventually(() => call.ends.length + (runs.get(call.id)?.length ?? 0)).toBeGreaterThan(0);
    },
    progress: (which) => {
      const call = pick(calls, which);
      runOf(call)?.context.progress({ progress: 1, message: `of ${call?.id}` });
    },
    finish: (which) => end(which, (run) => run.resolve('done')),
    fail: (which) => end(which, (run) => run.reject(new Error('broken'))),
    'cancel call': (which) => pick(under(), which)?.control.abort(),
    'cancel turn': (which) => pick(sessions.filter(isOpen), which)?.session.cancel(),
    close: (which) => pick(sessions.filter(isOpen), which)?.session.close(),
    crash: async () => {
      agent.channel.exit({ exitCode: 1, signal: null });
      await connection.closed;
    },
  };
  try {
    for (const step of list) await does[step.do](step.which);
  } finally {
    await connection.close();
    await Promise.all(sessions.map(({ client }) => client.close()));
  }
  await eventually(() => calls.filter(({ ends }) => ends.length === 0)).toEqual([]);
  for (const { id, opened, ends, progressed } of calls) {
    expect(ends).toHaveLength(1);
    const begun = runs.get(id) ?? [];
    expect(begun.length).toBeLessThanOrEqual(1);
    for (const run of begun) {
      expect(run.context.session).toBe(opened.session);
      expect(run.isOver || run.context.signal.aborted).toBe(true);
      // What comes after the end is dropped.
      run.context.progress({ progress: 2, message: 'late' });
      run.reject(new Error('late'));
    }
    expect(progressed.every((message) => message === `of ${id}`)).toBe(true);
  }
  for (const description of descriptions) await eventually(() => leftOf(description)).toEqual([]);
}

/** Each run over stdio starts a program for each session. */
const runsOver = { acp: 12, http: 4, stdio: 1 } satisfies Record<ToolTransport, number>;

describe.each(Object.entries(runsOver))('over %s', (transport, numRuns) => {
  test('each call ends once and in its own session, and nothing is left, whatever happens in which order', async () => {
    // The keys of the table are the ways.
    const property = fc.asyncProperty(steps, (list) => play(transport as ToolTransport, list));
    await fc.assert(property, { numRuns });
  });
});
