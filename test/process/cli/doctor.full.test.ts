import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { entry, registryText } from '../../support/registry-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  archivedAgent,
  demoAgent,
  pathWith,
  run,
  runHere,
  smallAgent,
  watchProcesses,
} from './command-line.ts';

beforeAll(buildPackage);

const everyKind = [
  archivedAgent('works', './works'),
  archivedAgent('locked', './wants-login'),
  entry('packed'),
  archivedAgent('absent', './no-such-program'),
];

/** A registry file with agents, and a PATH with programs of some and with `npx`. */
function place(agents = everyKind) {
  const registry = join(temporaryFolder(), 'registry.json');
  writeFileSync(registry, registryText(...agents));
  const ways = {
    works: 'ordinary',
    'wants-login': 'wants-login',
    npx: 'ordinary',
    stuck: 'opens-no-session',
  };
  const { PATH, runs } = pathWith(ways);
  return {
    env: { PATH, ACP_REGISTRY: registry },
    /** The names of the programs that ran. */
    runs: () => runs().map((line) => line.split(' ')[0]),
  };
}

describe('one agent', () => {
  test.each(['v1', 'v2-markers', 'v2-baseline'])('of %s that works has no problem', async (dialect) => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const { code, stdout, stderr } = await runHere(['doctor', ...agent]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = stdout.split('\n').map((line) => line.trim().replace(/^(\w+) +/, '$1: '));
    expect(rows).toEqual([
      'ACP: demo agent 1.0.0',
      `program: ${process.execPath}`,
      `protocol: version ${dialect === 'v1' ? 1 : 2}`,
      'login: unknown. The agent does not report its login. Only a prompt can show whether it needs one.',
      'session: opens, and was deleted again',
      expect.stringMatching(/^time: \d+\.\d s/),
      '',
    ]);
  });

  test('that needs a login ends with exit code 4, and says so', async () => {
    const watch = watchProcesses();
    const { code, stdout, stderr } = await runHere(['doctor', ...smallAgent('wants-login')]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: 'acp-client-sdk: The agent cannot be used yet.\n' });
    expect(stdout).toMatch(/^ {2}login {5}no$/m);
    expect(stdout).toContain(
      '  problem   The agent refused session/new because it needs a login: Who are you?\n',
    );
    expect(stdout).toContain('  to do     Log in with the program of the agent, or set its key, as its');
    expect(watch.alive()).toEqual([]);
  });

  test.each([
    [smallAgent('crash-at-start'), 'There is no model here.'],
    [['--', 'no-such-agent'], 'directories of PATH'],
    [smallAgent('version-seven'), 'answered 7'],
    [['--timeout', '1500', ...smallAgent('hang-at-start')], 'Still loading.'],
  ])('that cannot be used ends with exit code 5: %j', async (args, said) => {
    const watch = watchProcesses();
    const { code, stdout } = await runHere(['doctor', ...args]);
    expect(code).toBe(5);
    expect(stdout.replace(/\s+/g, ' ')).toContain(said);
    expect(stdout).toMatch(/^ {2}to do +[A-Z]/m);
    expect(watch.alive()).toEqual([]);
  });

  test('is JSON with what a program needs, and without the arguments', async () => {
    const { code, stdout } = await runHere(['doctor', '--format', 'json', ...smallAgent('ordinary')]);
    expect(code).toBe(0);
    const { agents } = JSON.parse(stdout);
    expect(agents).toHaveLength(1);
    expect(Object.keys(agents[0]).sort()).toEqual(
      [
        ...['name', 'status', 'command', 'found', 'program', 'searched', 'agentInfo', 'version'],
        ...['protocolVersions', 'dialect', 'features', 'authMethods', 'login', 'loginReason', 'session'],
        ...['problems', 'steps'],
      ].sort(),
    );
    expect(agents[0]).toMatchObject({ name: null, status: 'checked', found: true, login: 'unknown' });
    const missing = await runHere(['doctor', '--format', 'json', '--', 'no-such-agent']);
    expect(JSON.parse(missing.stdout).agents[0]).toMatchObject({
      found: false,
      program: null,
      version: null,
      dialect: null,
      features: null,
      problems: [{ code: 'program.not_found' }],
    });
  });
});

describe.skipIf(process.platform === 'win32')('the agents of the registry', () => {
  test('are checked if they are installed, and nothing is downloaded', async () => {
    const { env, runs } = place();
    const { code, stdout, stderr } = await run(['doctor'], { env });
    expect(code).toBe(4);
    expect(runs()).toEqual(['works', 'wants-login']);
    expect(stderr).toMatch(/The registry file was changed/);
    expect(stderr).toContain('acp-client-sdk: 1 of the 2 agents that were checked cannot be used yet.\n');
    const sections = stdout.split('\n\n').map((section) => section.split('\n')[0]);
    expect(sections).toEqual(['works: small 1.0.0', 'locked: small 1.0.0', 'Not checked', 'Not installed']);
    expect(stdout).toMatch(
      /^ {2}packed {2}npx can download it\.\nTo check one of them: npx acp-client-sdk doctor --agent NAME$/m,
    );
    expect(stdout).toMatch(/absent\s+Its program no-such-program is not in/);
    const { agents } = JSON.parse((await run(['doctor', '--format', 'json'], { env })).stdout);
    expect(agents).toMatchObject([
      { name: 'works', status: 'checked', login: 'unknown', problems: [] },
      { name: 'locked', status: 'checked', login: 'no' },
      { name: 'packed', status: 'notChecked', reason: expect.stringContaining('npx') },
      { name: 'absent', status: 'notInstalled', reason: expect.stringContaining('no-such-program') },
    ]);
  });

  test('are not waited for if they open no session', async () => {
    const { env, alive } = { ...place([archivedAgent('stuck', './stuck')]), ...watchProcesses() };
    const { code, stdout } = await run(['doctor'], { env });
    expect(code).toBe(5);
    expect(stdout).toContain('The agent did not open a session within 15000 ms.');
    expect(alive()).toEqual([]);
  });

  test('are checked with npx if they are named', async () => {
    const { env, runs } = place();
    const { code, stdout } = await run(['doctor', '--agent', 'packed'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^packed: small 1\.0\.0\n {2}program {3}\S+\/npx$/m);
    expect(runs()).toEqual(['npx']);
  });

  test('that are not installed end with exit code 2 if they are named', async () => {
    const { env, runs } = place();
    const { code, stdout } = await run(['doctor', '--agent', 'absent'], { env });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^Not installed\n {2}absent\s+Its program/);
    expect(runs()).toEqual([]);
  });
});
