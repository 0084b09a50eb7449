import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { SpawnedAgent } from '../../../src/node/process/agent-process.ts';
import { markedProcessTable, markIn, markName } from '../../../src/node/process/process-table.ts';
import { type NodeTerminals, nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../support/agents.ts';
import { spawn } from '../../support/spawn.mjs';
import { type Hello, isAlive, programArgs, startAgent, stillRunning, survivors, until } from './processes.ts';

const pids = new Set<number>();
afterEach(async () => {
  const left = await survivors();
  expect([...left, ...(await stillRunning(pids))]).toEqual([]);
});

const clientInfo = { name: 'test', version: '0' };
const scattered = programArgs('scattered', 'stubborn');

/** Starts an agent with three commands in sessions of their own. */
async function startScattered() {
  const started = startAgent('scattered', ['stubborn'], { shutdown: { graceMs: 60_000 } });
  const { pid, children = [] } = await started.hello;
  expect(children.filter(isAlive)).toHaveLength(3);
  return { ...started, pid, children };
}

const markOf = (pid: number) => markIn(readFileSync(`/proc/${pid}/environ`, 'utf8'));

// Elsewhere the environment of other processes is not read.
describe.runIf(process.platform === 'linux')('commands in sessions of their own', () => {
  test('[security: parent-exit] [reliability: crash-leftovers] are gone when the end of an agent is reported whose program alone was killed', async () => {
    const { agent, pid, children } = await startScattered();
    process.kill(pid, 'SIGKILL');
    expect((await agent.ended).exit).toMatchObject({ signal: 'SIGKILL' });
    expect(children.filter(isAlive)).toEqual([]);
  });

  test('[reliability: crash-leftovers] end if the agent is killed while it is being closed', async () => {
    const { agent, pid, children, messages } = await startScattered();
    const closed = agent.close();
    await until(() => messages.length === 2);
    process.kill(pid, 'SIGKILL');
    await closed;
    expect(children.filter(isAlive)).toEqual([]);
  });

  test('[reliability: crash-leftovers] are gone before the agent is started again', async () => {
    const agents: SpawnedAgent[] = [];
    let children: number[] = [];
    let leftAtRestart: number[] | undefined;
    const start = () => {
      if (agents.length === 1) leftAtRestart = children.filter(isAlive);
      const agent = spawnAgent({ command: process.execPath, args: scattered });
      agents.push(agent);
      return agent;
    };
    const reconnect = { firstDelayMs: 1 };
    const connection = await connect(start, { clientInfo, reconnect });
    onTestFinished(() => connection.close());
    const childrenNow = () => {
      const meta = connection.initializeResult['_meta'] as { readonly children: number[] };
      for (const child of meta.children) pids.add(child);
      return meta.children;
    };
    children = childrenNow();
    expect(children.filter(isAlive)).toHaveLength(3);
    process.kill(agents[0]!.pid!, 'SIGKILL');
    await until(() => connection.state === 'reconnecting');
    await until(() => connection.state !== 'reconnecting');
    expect(leftAtRestart).toEqual([]);
    expect(childrenNow().filter(isAlive)).toHaveLength(3);
    process.kill(agents[1]!.pid!, 'SIGKILL');
    await agents[1]!.reaped;
  });

  test('[reliability: crash-leftovers] go on if they are those of another agent, or of this process', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    // As if this process ran in an agent.
    vi.stubEnv(markName, 'outer');
    const crashed = await startScattered();
    const other = await startScattered();
    const own = spawn('sleep', ['987654'], { detached: true, stdio: 'ignore' });
    expect(markOf(own.pid!)).toBe('outer');
    const marks = [crashed, other].map(({ pid }) => markOf(pid));
    expect(new Set([undefined, 'outer', ...marks]).size).toBe(4);
    expect(crashed.children.map(markOf)).toEqual(crashed.children.map(() => marks[0]));

    process.kill(crashed.pid, 'SIGKILL');
    await crashed.agent.reaped;
    expect(crashed.children.filter(isAlive)).toEqual([]);
    const others = [own.pid!, other.pid, ...other.children];
    expect(others.filter(isAlive)).toEqual(others);
    own.kill('SIGKILL');
    process.kill(other.pid, 'SIGKILL');
    await other.agent.reaped;
  });
});

// The time limits pass in simulated time. The programs run in real time.
describe.runIf(process.platform === 'linux')('the end of a crashed agent', () => {
  function simulateTime(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  }

  /** Whether the end is reported. */
  function observed(agent: SpawnedAgent): () => boolean {
    let isEnded = false;
    void agent.ended.then(() => {
      isEnded = true;
    });
    return () => isEnded;
  }

  /** Lets time pass in steps. What the system does meanwhile takes real time. Returns how much has passed. */
  async function passUntil(condition: () => boolean): Promise<number> {
    let passedMs = 0;
    for (; !condition(); passedMs += 100) {
      await until(() => vi.getTimerCount() > 0 || condition());
      await vi.advanceTimersByTimeAsync(100);
    }
    return passedMs;
  }

  test('[reliability: crash-leftovers] is reported after five seconds if the processes cannot be searched', async () => {
    const { agent, pid, children } = await startScattered();
    const released = deferred();
    const spy = vi.spyOn(files, 'readdir').mockImplementation(async () => {
      await released.promise;
      throw new Error('The system does not answer.');
    });
    const restore = () => {
      spy.mockRestore();
      syncBuiltinESMExports();
      released.resolve();
    };
    syncBuiltinESMExports();
    simulateTime();
    const isEnded = observed(agent);
    process.kill(pid, 'SIGKILL');
    // The limit counts from the search on. Until the system has reported the exit, no time must pass.
    await until(() => spy.mock.calls.length > 0);
    const passedMs = await passUntil(isEnded);
    // Before the hooks, which search for processes too.
    restore();
    vi.useRealTimers();
    expect(passedMs).toBe(5000);
    for (const child of children.filter(isAlive)) process.kill(child, 'SIGKILL');
    await until(() => !children.some(isAlive));
    await agent.reaped;
  });
});

describe.runIf(process.platform === 'linux')(
  'commands that left a terminal for a session of their own',
  () => {
    async function startTerminal(args: readonly string[] = scattered) {
      const terminals = nodeTerminals();
      onTestFinished(() => terminals.close());
      const { terminalId } = await terminals.create({ command: process.execPath, args });
      return { terminals, terminalId, ...(await processesOf(terminals, terminalId)) };
    }

    /** What the command of a terminal says about itself. */
    async function processesOf(terminals: NodeTerminals, terminalId: string) {
      const output = () => terminals.get(terminalId)?.output ?? '';
      await until(() => output().includes('\n'));
      const { pid, children = [] } = JSON.parse(output().split('\n')[0]!) as Hello;
      for (const each of [pid, ...children]) pids.add(each);
      return { pid, children };
    }

    test.each(['kill', 'release'] as const)('end when the terminal gets %s', async (call) => {
      const { terminals, terminalId, children } = await startTerminal();
      expect(children.filter(isAlive)).toHaveLength(3);
      await terminals[call]({ terminalId });
      expect(children.filter(isAlive)).toEqual([]);
    });

    test('[reliability: crash-leftovers] end when the agent of the terminal crashes', async () => {
      const sessionId = 's1';
      const agent = scriptedAgent().on('initialize', everything.v1).on('session/new', { sessionId });
      const terminals = nodeTerminals();
      const handlers = { terminals };
      const connection = await connect(agent.transport, { clientInfo, handlers });
      onTestFinished(() => connection.close());
      await connection.newSession({ cwd: process.cwd() });
      const command = { sessionId, command: process.execPath, args: scattered };
      const { result } = await agent.request('terminal/create', command);
      const { terminalId } = result as { readonly terminalId: string };
      const { pid, children } = await processesOf(terminals, terminalId);
      expect(children.filter(isAlive)).toHaveLength(3);
      agent.channel.exit();
      await until(() => ![pid, ...children].some(isAlive));
    });

    test('end when something else kills the command', async () => {
      const { pid, children } = await startTerminal();
      process.kill(pid, 'SIGKILL');
      await until(() => !children.some(isAlive));
    });

    test('go on when the command has exited by itself, also after its release', async () => {
      const { terminals, terminalId, children } = await startTerminal(programArgs('scattered'));
      await terminals.waitForExit({ terminalId });
      await terminals.release({ terminalId });
      expect(children.filter(isAlive)).toEqual(children);
      for (const child of children) process.kill(child, 'SIGKILL');
      await until(() => !children.some(isAlive));
    });
  },
);

let daemon: number | undefined;
afterEach(async () => {
  if (daemon !== undefined && isAlive(daemon)) process.kill(daemon, 'SIGKILL');
  expect(await survivors()).toEqual([]);
});

test('[agents: leaves-daemon] a daemon that has left the process group is neither waited for nor ended', async () => {
  const { agent, hello } = startAgent('daemon');
  daemon = Number((await hello)['daemon']);
  await agent.close();
  await agent.reaped;
  expect(agent.exit).toMatchObject({ exitCode: 0, signal: null });
  expect(isAlive(daemon)).toBe(true);
});

/** Executes itself again and again. */
const restless = 'echo; exec sh -c "$0" "$0"';

test.runIf(process.platform === 'linux')(
  '[reliability: crash-leftovers] a process that executes another program at the moment has its mark',
  async () => {
    const env = { ...process.env, [markName]: 'm' };
    const child = spawn('sh', ['-c', restless, restless], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.resume();
    await once(child.stdout, 'data');
    let missed = 0;
    for (let count = 0; count < 100; count++) {
      const table = await markedProcessTable();
      if (table.find(({ pid }) => pid === child.pid)?.mark !== 'm') missed++;
    }
    // A single look misses it in a third of the lists. On a busy machine it can stand still between two programs.
    expect(missed).toBeLessThan(10);
  },
);
