import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { TerminalHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { type NodeTerminals, nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { connectRestarting, reaches } from '../../support/restarting-agent.ts';

const cwd = process.cwd();
const sessionId = 's1';

/** An agent that is started again after each crash. */
async function restarting(terminals: NodeTerminals) {
  const made = await connectRestarting(
    (agent) => agent.on('initialize', everything.v1).on('session/resume', {}),
    { handlers: { terminals } },
  );
  await made.connection.newSession({ cwd });
  const restarted = reaches(made.connection, 'open');
  return { ...made, agent: made.agents[0] as ScriptedAgent, restarted };
}

async function run(agent: ScriptedAgent): Promise<string> {
  const { result } = await agent.request('terminal/create', {
    sessionId,
    command: process.execPath,
    args: ['-e', "console.log('ready'); setInterval(() => {}, 1000)"],
  });
  return String((result as { terminalId: string }).terminalId);
}

test('a restart ends the terminals of the crashed agent, and keeps their output', async () => {
  const terminals = nodeTerminals();
  const { agent, connection, restarted } = await restarting(terminals);
  const [kept, released] = [await run(agent), await run(agent)];
  for (const id of [kept, released]) await eventually(() => terminals.get(id)?.output).toBe('ready\n');
  await agent.request('terminal/release', { sessionId, terminalId: released });
  const exited = terminals.waitForExit({ terminalId: kept });
  agent.channel.exit();
  expect(await exited).toEqual({ exitCode: null, signal: 'SIGTERM' });
  await restarted;
  await expect(terminals.output({ terminalId: kept })).rejects.toThrow('was released');
  expect(terminals.get(kept)).toMatchObject({ exitStatus: { signal: 'SIGTERM' } });
  expect(connection.sessions[0]?.conversation.terminals).toMatchObject({
    [kept]: { owner: 'client', output: 'ready\n', exitStatus: { exitCode: null, signal: 'SIGTERM' } },
    [released]: { output: 'ready\n', exitStatus: { exitCode: null, signal: 'SIGTERM' } },
  });
});

test('a terminal that cannot be released is reported, and does not block the restart', async () => {
  const terminals = nodeTerminals();
  const failing: NodeTerminals = { ...terminals, release: () => Promise.reject(new Error('stuck')) };
  const { agent, diagnostics, restarted } = await restarting(failing);
  const terminalId = await run(agent);
  agent.channel.exit();
  await restarted;
  await eventually(() => diagnostics.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    `handler.failed: The terminal ${terminalId} could not be released: stuck.`,
  ]);
});

describe('a cancelled turn', () => {
  /** A session with a command of an earlier turn, and a turn that is open. */
  async function working(terminals: TerminalHandlers) {
    const ends: (() => void)[] = [];
    const { agent, connection, diagnostics } = await connectTo(everything.v1, {
      handlers: { terminals },
      answers: {
        'session/new': { sessionId },
        'session/close': {},
        'session/prompt': () =>
          new Promise<object>((resolve) => ends.push(() => resolve({ stopReason: 'cancelled' }))),
      },
    });
    const session = await connection.newSession({ cwd });
    const turn = session.prompt('Build.');
    await agent.called('session/prompt');
    const shown = (id: string) => session.conversation.terminals[id]?.exitStatus;
    const cancel = async () => {
      await session.cancel();
      for (const end of ends.splice(0)) end();
      await turn;
    };
    return { agent, diagnostics, session, shown, cancel };
  }

  test('leaves no command that it started and that the agent does not end', async () => {
    const terminals = nodeTerminals();
    const { agent, session, shown, cancel } = await working(terminals);
    const [left, released] = [await run(agent), await run(agent)];
    await eventually(() => terminals.get(left)?.output).toBe('ready\n');
    await cancel();
    await agent.request('terminal/release', { sessionId, terminalId: released });
    const between = await run(agent);
    await eventually(() => shown(left)).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(shown(between)).toBeNull();
    // The agent can still read what was killed.
    const { result } = await agent.request('terminal/output', { sessionId, terminalId: left });
    expect(result).toMatchObject({ output: 'ready\n', exitStatus: { signal: 'SIGTERM' } });
    await session.close();
  });

  test('leaves none of an agent that ends the turn only when the command has ended', async () => {
    const terminals = nodeTerminals();
    const { agent, session, shown } = await working(terminals);
    const waited = await run(agent);
    await eventually(() => terminals.get(waited)?.output).toBe('ready\n');
    await session.cancel();
    await eventually(() => shown(waited)).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(session.conversation.activity.state).not.toBe('idle');
  });

  test('with handlers that report no changes shows the end', async () => {
    const { subscribe: _, ...terminals } = nodeTerminals();
    const { agent, session, shown, cancel } = await working(terminals);
    const id = await run(agent);
    await cancel();
    await eventually(() => shown(id)).toEqual({ exitCode: null, signal: null });
    await session.close();
  });

  test('reports a command that cannot be killed', async () => {
    const terminals = { ...nodeTerminals(), kill: () => Promise.reject(new Error('stuck')) };
    const { agent, diagnostics, cancel } = await working(terminals);
    const id = await run(agent);
    await cancel();
    await eventually(() => diagnostics.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      `handler.failed: The terminal ${id} of a cancelled turn could not be killed: stuck.`,
    ]);
  });
});

describe('terminals of handlers without close', () => {
  /** Handlers that only note which terminals are open. */
  function handlersInMemory() {
    const open = new Set<string>();
    const waiting: (() => void)[] = [];
    let count = 0;
    const terminals: TerminalHandlers = {
      async create({ command }) {
        if (command === 'slow') await new Promise<void>((resolve) => waiting.push(resolve));
        const terminalId = `t${++count}`;
        open.add(terminalId);
        return { terminalId };
      },
      output: () => ({ output: '', truncated: false }),
      waitForExit: () => new Promise(() => {}),
      kill() {},
      async release({ terminalId }) {
        if (!open.delete(terminalId)) throw new Error(`${terminalId} is not open`);
      },
    };
    const proceed = () => {
      for (const resolve of waiting.splice(0)) resolve();
    };
    return { terminals, open, proceed };
  }

  async function twoSessions(terminals: TerminalHandlers) {
    let ids = 0;
    const connected = await connectTo(everything.v1, {
      handlers: { terminals },
      answers: {
        'session/new': () => ({ sessionId: `s${++ids}` }),
        'session/close': {},
        'session/delete': {},
      },
    });
    const first = await connected.connection.newSession({ cwd });
    const second = await connected.connection.newSession({ cwd });
    return { ...connected, first, second };
  }

  const create = (agent: ScriptedAgent, id: string, command = 'run') =>
    agent.request('terminal/create', { sessionId: id, command });

  test.each(['close', 'delete', 'close and delete'])(
    '[reliability: session-terminals] %s of a session releases its terminals, and no others',
    async (how) => {
      const { terminals, open } = handlersInMemory();
      const { agent, connection, first, second } = await twoSessions(terminals);
      for (const { sessionId } of [first, second, first]) await create(agent, sessionId);
      await Promise.allSettled([
        how.includes('close') && first.close(),
        how.includes('delete') && connection.deleteSession(first.sessionId),
      ]);
      await settle();
      expect([...open]).toEqual(['t2']);
    },
  );

  test('[reliability: terminals-end] the end of the connection releases every terminal', async () => {
    const { terminals, open } = handlersInMemory();
    const { agent, connection, first, diagnostics } = await twoSessions(terminals);
    for (let n = 0; n < 2000; n++) await create(agent, first.sessionId);
    expect(open.size).toBe(2000);
    await connection.close();
    expect(open.size).toBe(0);
    expect(diagnostics).toEqual([]);
  });

  const ends = [
    ['the connection', 'close', ({ connection }: { connection: ClientConnection }) => connection.close()],
    ['a session', 'release', ({ first }: { first: Session }) => first.close()],
  ] as const;
  test.each(ends)(
    '[reliability: terminals-end,session-terminals] the close of %s waits one second for terminals that do not end',
    async (_, stuck, close) => {
      const { terminals } = handlersInMemory();
      let begun = false;
      const never = () => {
        begun = true;
        return new Promise<void>(() => {});
      };
      const connected = await twoSessions({ ...terminals, [stuck]: never });
      await create(connected.agent, connected.first.sessionId);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      let isClosed = false;
      const closed = close(connected).then(() => {
        isClosed = true;
      });
      // Not with `expect.poll`, which lets simulated time pass.
      while (!begun || vi.getTimerCount() === 0) await settle();
      await vi.advanceTimersByTimeAsync(999);
      await settle();
      expect(isClosed).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await closed;
    },
  );

  test('a terminal that is created after its session or connection has closed is released', async () => {
    const { terminals, open, proceed } = handlersInMemory();
    const { agent, connection, first, second } = await twoSessions(terminals);
    void create(agent, first.sessionId, 'slow');
    void create(agent, second.sessionId, 'slow');
    await settle();
    await first.close();
    proceed();
    await settle();
    expect(open.size).toBe(1);
    void create(agent, second.sessionId, 'slow');
    await settle();
    await connection.close();
    proceed();
    await settle();
    expect(open.size).toBe(0);
  });
});
