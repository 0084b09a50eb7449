import { mkdirSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { probeAgent } from '../../../src/agents/probe/probe.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { letTimePass } from '../../support/time.ts';
import { hostileProgram, isWindows, programPath, survivors, until } from './processes.ts';

/** Long enough for the start of a program on a busy machine, where the agent answers what the test is about. */
const amply = { stepTimeoutMs: 60_000 };

/** The time limit of a step in which the agent is silent. It can also end the start of the program. */
const silentMs = 1500;

const silent = { stepTimeoutMs: silentMs };
const shortly = { stepTimeoutMs: 3000 };

type Limits = Parameters<typeof probeAgent>[1];

/** What a probe finds out about a program, and its first problem. */
const programs: readonly (readonly [way: string, code: string, message: RegExp, limits: Limits])[] = [
  ['never-answers', 'agent.no_answer', /did not answer initialize within 1500 ms/, silent],
  ['ignores-sigterm', 'agent.no_answer', /did not answer initialize within 1500 ms/, silent],
  ['floods-stderr', 'agent.no_answer', /The end of its stderr:\n…?[\s\S]*loading/, { timeoutMs: silentMs }],
  ['floods-stdout', 'agent.not_acp', /to stdout a text that is not a message: <html>/, { timeoutMs: 3000 }],
  ['writes-garbage', 'agent.not_acp', /a text that is not a message: Welcome to my program!/, shortly],
  ['exits-with-usage', 'program.exited', /exited with code 2[\s\S]*usage: hostile \[--acp\]/, amply],
  ['exits-with-reason', 'program.exited', /exited with code 3[\s\S]*There is no model here\./, amply],
  ['is-killed', 'program.exited', isWindows ? /exited with code/ : /was ended by SIGKILL/, amply],
  ['answers-nonsense', 'agent.not_acp', /answered initialize with hello, which is not an object/, amply],
  ['echoes', 'agent.not_acp', /sends back what it receives/, amply],
  ['speaks-version-7', 'protocol.unsupported_version', /offered 1, 2, answered 7/, amply],
  ['closes-its-output', 'program.exited', /closed its output and went on running/, amply],
  ['forks-and-exits', 'program.exited', /I left something\./, amply],
];

test.each(programs)(
  'a program that %s is the problem %s, and nothing of it runs',
  async (way, code, message, limits) => {
    const probe = await probeAgent(hostileProgram(way), limits);
    expect(probe).toMatchObject({
      found: true,
      program: process.execPath,
      version: undefined,
      protocolVersions: [],
      features: undefined,
      login: 'unknown',
      session: 'skipped',
      problems: [
        { code, message: expect.stringMatching(message), remedy: expect.stringMatching(/^[A-Z].*\.$/) },
      ],
    });
    expect(probe.steps.map(({ name }) => name)).toEqual(['search', 'initialize']);
  },
);

test('a line that is too long is not the protocol, and nothing of the program runs', async () => {
  const command = { ...hostileProgram('writes-a-huge-line'), maxLineBytes: 4 * 1024 * 1024 };
  const { problems } = await probeAgent(command);
  expect(problems).toMatchObject([{ code: 'agent.not_acp', message: expect.stringContaining('4194304') }]);
});

describe('an agent that connects', () => {
  test.each<readonly [way: string, code: string, message: RegExp, limits: Limits]>([
    ['hangs-in-session', 'session.no_answer', /did not open a session within 3000 ms/, shortly],
    ['crashes-in-session', 'program.exited', /exited with code 9[\s\S]*Out of memory\./, amply],
  ])('and %s is the problem %s', async (way, code, message, limits) => {
    const probe = await probeAgent(hostileProgram(way), limits);
    expect(probe).toMatchObject({
      version: '6.6.6',
      protocolVersions: [1],
      login: 'unknown',
      session: 'failed',
      problems: [{ code, message: expect.stringMatching(message) }],
    });
  });

  test.each(['answers-twice', 'forks-and-ignores-sigterm', ...(isWindows ? [] : ['leaves-a-daemon'])])(
    'and %s has no problem, and nothing of it runs',
    async (way) => {
      const { problems, session, login } = await probeAgent(hostileProgram(way));
      expect({ problems, session, login }).toEqual({ problems: [], session: 'kept', login: 'unknown' });
    },
  );

  test('and does not delete the session keeps it', async () => {
    const { problems, session } = await probeAgent(hostileProgram('hangs-in-close'), { stepTimeoutMs: 3000 });
    expect({ problems, session }).toEqual({ problems: [], session: 'kept' });
  });
});

test.each(['never-answers', 'hangs-in-session', 'forks-and-ignores-sigterm'])(
  'aborting ends an agent that %s, and rejects with the reason of the signal',
  async (way) => {
    const reason = new Error('The window was closed.');
    const control = new AbortController();
    const probing = probeAgent(hostileProgram(way), { signal: control.signal });
    setTimeout(() => control.abort(reason), 1000);
    const outcome = await probing.catch((error: unknown) => error);
    // An agent that answers can have been checked before.
    if (way !== 'forks-and-ignores-sigterm') expect(outcome).toBe(reason);
  },
);

test('a probe that was aborted before it began starts nothing', async () => {
  const command = { command: process.execPath, args: ['-e', 'process.exit(1)'] };
  const reason = new Error('Too late.');
  await expect(probeAgent(command, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('a package that npx cannot download is the problem program.download_failed', async () => {
  const cache = join(temporaryFolder(), 'cache');
  mkdirSync(cache);
  const env = {
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    npm_config_cache: cache,
  };
  const { problems, found } = await probeAgent({ command: 'npx', args: ['-y', 'no-such-agent'], env });
  expect({ problems, found }).toMatchObject({
    found: true,
    problems: [{ code: 'program.download_failed', message: expect.stringContaining('ECONNREFUSED') }],
  });
});

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

/** The files that this process has open in a folder. Only Linux lists them. */
async function openFilesIn(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

/** The files in a folder that this process has open at any time of half a second. A read keeps its file open. */
async function filesReadIn(folder: string): Promise<string[]> {
  const seen = new Set<string>();
  for (let sample = 0; sample < 20; sample++) {
    for (const path of await openFilesIn(folder)) seen.add(path);
    await letTimePass(25);
  }
  return [...seen];
}

/** Only for a hang. docs/reliability.md says what `close` takes. */
const hangMs = 60_000;

test.each(['permissions', 'withdrawn permissions', 'reads', 'withdrawn reads', 'terminals', 'notifications'])(
  '[reliability: storms] close() ends the connection in a storm of %s',
  async (kind) => {
    const agent = spawnAgent({
      command: process.execPath,
      args: [programPath('storm.mjs'), kind],
      cwd: folder,
    });
    let permissions = 0;
    const connection = await connect(agent, {
      clientInfo: { name: 'test', version: '0' },
      onDiagnostic() {},
      handlers: {
        ...nodeFileSystem({ roots: [folder], maxScanBytes: Number.MAX_SAFE_INTEGER }),
        terminals: nodeTerminals({ cwd: folder }),
        requestPermission: () => {
          permissions++;
          return new Promise(() => {});
        },
      },
    });
    const session = await connection.newSession({ cwd: folder });
    const turn = session.prompt('Begin.').catch((error: unknown) => error);
    const before = session.conversation;
    await until(() => session.conversation !== before);
    await letTimePass(500);
    const closedAt = performance.now();
    await connection.close();
    const closeMs = performance.now() - closedAt;
    if (process.env['STORM_TIMES']) process.stderr.write(`${kind}: ${closeMs.toFixed(0)} ms\n`);
    expect(closeMs).toBeLessThan(hangMs);
    expect(await turn).toMatchObject({ code: 'connection.closed' });
    expect(permissions).toBeLessThanOrEqual(1000);
    await agent.reaped;
    expect(await filesReadIn(folder)).toEqual([]);
  },
);
