import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeAgent } from '../../../src/agents/probe/probe.ts';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { featureNames } from '../../../src/core/protocol/feature.ts';
import type { SpawnAgentOptions } from '../../../src/node/process/spawn.ts';
import { dialectNames, everything, nothing } from '../../support/agents.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answeringAgent, isWindows } from './processes.ts';

const opens = { 'session/new': { result: { sessionId: 's' } } };

/** The start of a program for arm64, or for x64 on arm64, without code. */
const machine = process.arch === 'arm64' ? '\x3e' : '\xb7';
const foreignElf = `\x7fELF\x02\x01\x01${'\0'.repeat(9)}\x02\0${machine}\0\x01\0\0\0`;

/** A file that is a program, with this text. */
function programWith(text: string, mode = 0o755): string {
  const file = join(temporaryFolder(), 'agent');
  writeFileSync(file, text, 'latin1');
  chmodSync(file, mode);
  return file;
}

describe.each(dialectNames)('an agent of %s', (dialect) => {
  test('is reported with its version, its features and its login methods', async () => {
    const answers = {
      ...opens,
      'session/delete': { result: {} },
      'auth/status': { result: { state: 'authenticated' } },
    };
    const { command, received } = answeringAgent({ initialize: everything[dialect], answers });
    const probe = await probeAgent(command);
    expect(probe).toMatchObject({
      found: true,
      program: process.execPath,
      searched: [process.execPath],
      version: '1.0.0',
      agentInfo: { name: 'scripted' },
      dialect,
      authMethods: [{ methodId: 'key' }],
      login: 'yes',
      session: 'deleted',
      problems: [],
    });
    expect(Object.keys(probe.features ?? {})).toEqual([...featureNames]);
    expect(probe.features).toMatchObject({ 'session.delete': true, 'session.load': true });
    expect(received().filter((method) => method !== 'initialize')).toEqual([
      'auth/status',
      'session/new',
      'session/delete',
    ]);
    expect(JSON.parse(JSON.stringify(probe))).toMatchObject({ login: 'yes' });
  });
});

test('a probe opens no session where none is wanted', async () => {
  const { command, received } = answeringAgent({ initialize: nothing.v1, answers: opens });
  const { session, steps } = await probeAgent(command, { session: 'skip' });
  expect(session).toBe('skipped');
  expect(received()).not.toContain('session/new');
  expect(steps.map(({ name }) => name)).not.toContain('session');
});

describe('the versions of an agent', () => {
  const both = { 1: everything.v1, 2: everything['v2-baseline'] };

  test('are both if it answers each of them alone', async () => {
    const { command, received } = answeringAgent({ initialize: both, answers: opens });
    const { protocolVersions, dialect, steps } = await probeAgent(command);
    expect({ protocolVersions, dialect }).toEqual({ protocolVersions: [1, 2], dialect: 'v2-baseline' });
    expect(received().filter((method) => method === 'initialize')).toHaveLength(2);
    expect(steps.map(({ name }) => name)).toEqual([
      'search',
      'initialize',
      'loginStatus',
      'session',
      'end',
      'olderVersion',
    ]);
    for (const { durationMs } of steps) expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  test('are only the newer one if it refuses the older one', async () => {
    const initialize = { ...both, 1: { error: { code: -32602, message: 'Too old.' } } };
    const { command } = answeringAgent({ initialize, answers: opens });
    expect(await probeAgent(command)).toMatchObject({ protocolVersions: [2], problems: [] });
  });

  test('are only the older one, in one start, if it answers it although the newer one is offered', async () => {
    const { command, received } = answeringAgent({ initialize: nothing.v1, answers: opens });
    expect(await probeAgent(command)).toMatchObject({ protocolVersions: [1], dialect: 'v1', problems: [] });
    expect(received().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  test.each([
    ['the parameters of an offer of the newer one', -32602],
    ['the version of an offer of the newer one, and names no other', -32022],
  ])('are the older one, in one start, if it refuses %s', async (_, code) => {
    const initialize = { 1: everything.v1, 2: { error: { code, message: 'Unknown version 2.' } } };
    const { command } = answeringAgent({ initialize, answers: opens });
    const probe = await probeAgent(command);
    // An editor connects to it without a setting, so nothing keeps it from working.
    expect(probe).toMatchObject({ protocolVersions: [1], dialect: 'v1', session: 'kept', problems: [] });
    expect(probe.steps.map(({ name }) => name)).not.toContain('olderVersion');
  });

  test('are the older one, with a problem, if it fails at an offer of the newer one', async () => {
    const initialize = { 1: everything.v1, 2: { error: { code: -32603, message: 'Unknown version 2.' } } };
    const { command } = answeringAgent({ initialize, answers: opens });
    expect(await probeAgent(command)).toMatchObject({
      protocolVersions: [1],
      dialect: 'v1',
      session: 'kept',
      problems: [
        { code: 'protocol.offer_older_version', message: expect.stringContaining('Unknown version 2.') },
      ],
    });
  });

  test('are none if it refuses every offer', async () => {
    const { command } = answeringAgent({ initialize: { error: { code: -32603, message: 'No.' } } });
    expect(await probeAgent(command)).toMatchObject({
      protocolVersions: [],
      problems: [{ code: 'agent.refused', message: expect.stringContaining('error -32603: No.') }],
    });
  });
});

test('a probe whose time is over says what it did not do', async () => {
  const answers = { 'session/new': 'none' } as const;
  const { command } = answeringAgent({
    initialize: { 1: everything.v1, 2: everything['v2-baseline'] },
    answers: { ...answers, 'auth/status': { result: { state: 'authenticated' } } },
  });
  const { problems, protocolVersions } = await probeAgent(command, { timeoutMs: 5000 });
  expect(problems.map(({ code }) => code)).toEqual(['session.no_answer', 'probe.out_of_time']);
  expect(protocolVersions).toEqual([2]);
});

describe('a program that cannot be started', () => {
  const runs = (text: string) => ({ command: programWith(text) });
  test
    .skipIf(isWindows)
    .each<[code: string, said: RegExp, found: boolean, command: () => SpawnAgentOptions]>([
      ['not_found', /in none of the \d+ directories of PATH/, false, () => ({ command: 'no-such-agent' })],
      [
        'cannot_start',
        /interpreter in its first line, "\/no\/such\/interpreter", does not/,
        true,
        () => runs('#!/no/such/interpreter\n'),
      ],
      ['cannot_start', /is a directory/, false, () => ({ command: temporaryFolder() })],
      [
        'cannot_start',
        /the working directory .* does not exist/,
        true,
        () => ({ command: process.execPath, cwd: join(temporaryFolder(), 'gone') }),
      ],
      ['wrong_architecture', /exited with code/, true, () => runs(foreignElf)],
      [
        'needs_newer_node',
        /No such built-in module: node:of-the-future/,
        true,
        () => ({ command: process.execPath, args: ['-e', 'require("node:of-the-future")'] }),
      ],
    ])('is the problem program.%s, which says %s', async (code, said, found, command) => {
    const probe = await probeAgent(command());
    expect(probe).toMatchObject({
      found,
      login: 'unknown',
      protocolVersions: [],
      problems: [
        {
          code: `program.${code}`,
          message: expect.stringMatching(said),
          remedy: expect.stringMatching(/\.$/),
        },
      ],
    });
    expect(probe.searched.length).toBeGreaterThan(0);
  });

  test('says which directories were searched', async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const env = { PATH: [first, 'relative', second].join(delimiter) };
    const { searched, program } = await probeAgent({ command: 'no-such-agent', env });
    expect({ searched, program }).toEqual({ searched: [first, second], program: undefined });
  });
});

describe('wrong parameters reject, and nothing is started', () => {
  const agent = { command: process.execPath };
  test.each([
    ['no command', () => probeAgent({} as never), /probeAgent: command is missing/],
    ['an empty command', () => probeAgent({ command: '' }), /probeAgent: command is empty/],
    ['a relative cwd', () => probeAgent({ ...agent, cwd: 'here' }), /cwd must be an absolute path/],
    ['an unknown option', () => probeAgent(agent, { prompt: 'hi' } as never), /prompt is not an option/],
    ['a wrong limit', () => probeAgent(agent, { timeoutMs: -1 }), /timeoutMs must be a number/],
    ['no object', () => probeAgent(undefined as never), /probeAgent: /],
  ])('%s', async (_what, call, message) => {
    const error = await call().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });
});
