import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { settlesWithin } from '../../../src/core/base/wait.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { maxOpenRequests, maxUnreadMessages } from '../../../src/core/rpc/peer.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../support/agents.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';

const cwd = '/home/user/project';
const clientInfo = { name: 'fuzz', version: '0' };

/** How long something may take that must end. Only for a hang. */
const hangMs = 60_000;

const requests = {
  permission: (sessionId: string) => ({
    method: 'session/request_permission',
    params: {
      sessionId,
      toolCall: { toolCallId: 't', title: 'x' },
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    },
  }),
  read: (sessionId: string) => ({ method: 'fs/read_text_file', params: { sessionId, path: '/a' } }),
  write: (sessionId: string) => ({
    method: 'fs/write_text_file',
    params: { sessionId, path: '/a', content: '' },
  }),
  terminal: (sessionId: string) => ({ method: 'terminal/create', params: { sessionId, command: 'x' } }),
  wait: (sessionId: string) => ({
    method: 'terminal/wait_for_exit',
    params: { sessionId, terminalId: 't1' },
  }),
  extension: () => ({ method: '_x', params: {} }),
  unknown: () => ({ method: 'unknown', params: {} }),
};

/** One step of a storm. */
type Step =
  | {
      readonly kind: 'requests';
      readonly of: keyof typeof requests;
      readonly count: number;
      readonly session: number;
      readonly withdraw: boolean;
    }
  | { readonly kind: 'prompt' | 'cancel' | 'close' | 'release'; readonly session: number }
  | { readonly kind: 'turn' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('requests' as const),
      of: fc.constantFrom(...(Object.keys(requests) as (keyof typeof requests)[])),
      count: fc.constantFrom(1, 10, 400, 1500),
      session: fc.nat(2),
      withdraw: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('prompt' as const, 'cancel' as const, 'close' as const, 'release' as const),
      session: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
);

/** How the handlers behave: at once, when the storm passes, never, or by throwing. */
const pace: fc.Arbitrary<'at once' | 'later' | 'never' | 'throws'> = fc.constantFrom(
  'at once',
  'later',
  'never',
  'throws',
);

/**
 * Plays a storm of requests. Fails if more handlers run than the limit allows, if a promise stays open, or if a terminal
 * stays open after the connection has ended.
 */
async function surviveStorm(steps: readonly Step[], pace: string): Promise<{ terminals: number }> {
  let running = 0;
  let most = 0;
  let terminals = 0;
  const open = new Set<string>();
  const later: (() => void)[] = [];
  const handle =
    <T>(result: () => T) =>
    async (): Promise<T> => {
      most = Math.max(most, ++running);
      try {
        if (pace === 'never') await new Promise(() => {});
        if (pace === 'later') await new Promise<void>((resolve) => later.push(resolve));
        if (pace === 'throws') throw new Error('no');
        return result();
      } finally {
        running--;
      }
    };
  const handlers: ClientHandlers = {
    requestPermission: handle(() => ({ outcome: 'selected' as const, optionId: 'y' })),
    readTextFile: handle(() => ({ content: '' })),
    writeTextFile: handle(() => {}),
    terminals: {
      create: handle(() => {
        const terminalId = `t${++terminals}`;
        open.add(terminalId);
        return { terminalId };
      }),
      output: handle(() => ({ output: '', truncated: false })),
      waitForExit: handle(() => ({ exitCode: 0, signal: null })),
      kill: handle(() => {}),
      release: ({ terminalId }) => {
        open.delete(terminalId);
      },
    },
    extensions: { _x: handle(() => null), _flush: () => null },
  };
  let ids = 0;
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', () => ({ sessionId: `s${++ids}` }))
    .on('session/close', {})
    .on('session/prompt', () => noAnswer);
  const connection = await connect(agent.transport, { clientInfo, handlers, onDiagnostic() {} });
  const sessions: Session[] = [];
  for (let n = 0; n < 3; n++) sessions.push(await connection.newSession({ cwd }));
  const calls: Promise<unknown>[] = [];
  let requestId = 0;
  const play: { readonly [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown } = {
    requests({ of, count, session, withdraw }) {
      for (let n = 0; n < count; n++) {
        const id = `r${++requestId}`;
        agent.channel.send({ jsonrpc: '2.0', id, ...requests[of](`s${session + 1}`) });
        if (withdraw) agent.notify('$/cancel_request', { requestId: id });
      }
    },
    prompt: ({ session }) => calls.push(sessions[session]?.prompt('x') ?? Promise.resolve()),
    cancel: ({ session }) => calls.push(sessions[session]?.cancel() ?? Promise.resolve()),
    close: ({ session }) => calls.push(sessions[session]?.close() ?? Promise.resolve()),
    release: ({ session }) =>
      agent.channel.send({
        jsonrpc: '2.0',
        id: `r${++requestId}`,
        method: 'terminal/release',
        params: { sessionId: `s${session + 1}`, terminalId: [...open][0] ?? 'none' },
      }),
    turn: () => new Promise(setImmediate),
  };
  // Each entry of the table takes the step of its kind.
  for (const each of steps) await (play[each.kind] as (step: Step) => unknown)(each);
  // Also the refusal of a request says that those before it were read.
  // An agent that sends more than it may leave unread, before it reads anything, loses its connection instead.
  let isEnded = false;
  const ended = connection.closed.then(() => {
    isEnded = true;
  });
  expect(await settlesWithin(Promise.race([agent.request('_flush'), ended]), hangMs)).toBe(true);
  if (isEnded) expect(requestId).toBeGreaterThan(maxUnreadMessages);
  expect(most).toBeLessThanOrEqual(maxOpenRequests);
  const settled = Promise.allSettled(calls);
  expect(await settlesWithin(connection.close(), hangMs)).toBe(true);
  expect(await settlesWithin(settled, hangMs)).toBe(true);
  for (const proceed of later.splice(0)) proceed();
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
  expect([...open]).toEqual([]);
  return { terminals };
}

/** How one start of an agent goes. */
type Start = 'works' | 'is silent' | 'ends' | 'throws' | 'rejects' | 'never returns' | 'returns late';

const start: fc.Arbitrary<Start> = fc.constantFrom(
  'works',
  'is silent',
  'ends',
  'throws',
  'rejects',
  'never returns',
  'returns late',
);

/**
 * Connects with a function that starts an agent in these ways, crashes each agent that works, and gives up after some
 * turns of the event loop. Fails if `connect` or `close` does not settle, or if an agent that was started is not closed.
 */
async function surviveStarts(starts: readonly Start[], waitTurns: number): Promise<void> {
  const closed = new Map<Transport, boolean>();
  const late: (() => void)[] = [];
  const agents: ScriptedAgent[] = [];
  let count = 0;
  const newAgent = (isSilent: boolean): Transport => {
    const agent = scriptedAgent().on('initialize', () => (isSilent ? noAnswer : everything.v1));
    agents.push(agent);
    const { transport } = agent;
    const close = transport.close.bind(transport);
    closed.set(transport, false);
    void transport.ended.then(() => closed.set(transport, true));
    transport.close = () => {
      closed.set(transport, true);
      return close();
    };
    return transport;
  };
  const ways: { readonly [K in Start]: () => Transport | Promise<Transport> } = {
    works: () => newAgent(false),
    'is silent': () => newAgent(true),
    ends: () => {
      const transport = newAgent(true);
      agents.at(-1)?.channel.end();
      return transport;
    },
    throws: () => {
      throw new Error('no');
    },
    rejects: () => Promise.reject(new Error('no')),
    'never returns': () => new Promise(() => {}),
    'returns late': () =>
      new Promise((resolve) => {
        late.push(() => resolve(newAgent(false)));
      }),
  };
  const control = new AbortController();
  const turns = async (number: number) => {
    for (let n = 0; n < number; n++) await new Promise(setImmediate);
  };
  const connecting = connect(() => ways[starts[count++] ?? 'throws'](), {
    clientInfo,
    onDiagnostic() {},
    signal: control.signal,
    reconnect: { firstDelayMs: 0, maxDelayMs: 0, maxAttempts: starts.length },
  }).catch(() => undefined);
  await turns(waitTurns);
  for (const agent of [...agents]) agent.channel.end();
  await turns(waitTurns);
  control.abort(new Error('enough'));
  expect(await settlesWithin(connecting, hangMs)).toBe(true);
  const connection = await connecting;
  if (connection) {
    expect(await settlesWithin(connection.close(), hangMs)).toBe(true);
    expect(await settlesWithin(connection.closed, hangMs)).toBe(true);
  }
  for (const arrive of late) arrive();
  await turns(20);
  expect([...closed.values()].filter((isClosed) => !isClosed)).toEqual([]);
}

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const hourMs = 3600_000;

test(
  'storms of requests, withdrawn or not, end with the connection',
  async () => {
    const unhandled = unhandledErrors();
    let terminals = 0;
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
      pace,
      async (steps, pace) => {
        terminals += (await surviveStorm(steps, pace)).terminals;
      },
    );
    await fc.assert(property, { numRuns: 40, seed, endOnFailure: true });
    expect(unhandled).toEqual([]);
    console.log(`seed ${seed}: 40 storms with ${terminals} terminals`);
  },
  hourMs,
);

test(
  'agents that do not start, or hang while they do, do not block connect or close',
  async () => {
    const unhandled = unhandledErrors();
    const property = fc.asyncProperty(
      fc.array(start, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 1, 5, 50, 200),
      surviveStarts,
    );
    await fc.assert(property, { numRuns: 300, seed });
    expect(unhandled).toEqual([]);
    console.log(`seed ${seed}: 300 connections`);
  },
  hourMs,
);
