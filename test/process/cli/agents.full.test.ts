import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { buildPackage } from '../../support/build.ts';
import { entry, registryServer, registryText, sends } from '../../support/registry-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { archivedAgent, pathWith, run, startCommand } from './command-line.ts';

beforeAll(buildPackage);

/** A folder for copies, and a PATH in which `npx` starts the small agent of these tests. */
function place() {
  const folder = temporaryFolder();
  const { PATH, runs } = pathWith({ npx: 'ordinary' });
  const cache = join(folder, 'cache');
  return { folder, cache, runs, env: { PATH, XDG_CACHE_HOME: cache } };
}

const droid = archivedAgent('droid', './droid-of-a-test', 'Factory Droid');

describe('agents', () => {
  test('lists the agents of a registry, and how each starts here or what is missing', async () => {
    const { env, cache } = place();
    const server = await registryServer(sends(registryText(entry('one'), droid)));
    const { code, stdout, stderr } = await run(['agents'], { env: { ...env, ACP_REGISTRY: server.url } });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `one    1.2.3  ONE            npx -y @example/one@1.2.3 --acp
droid  1.2.3  Factory Droid  not here: Its program droid-of-a-test is not in a directory of PATH: download and unpack https://example.com/droid.tgz there.
`,
    });
    expect(stderr).toMatch(/^The registry was fetched on \d+ \w+ \d{4}, .* UTC\.\n$/);
    expect(readdirSync(join(cache, 'acp-client-sdk'))).toHaveLength(1);
  });

  test('prints JSON with the age and the start command', async () => {
    const { env } = place();
    const server = await registryServer(sends(registryText(entry('one'), droid, { id: '../x' })));
    const { stdout, stderr } = await run(['agents', '--format', 'json'], {
      env: { ...env, ACP_REGISTRY: server.url },
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      source: 'network',
      fetchedAt: expect.stringMatching(/Z$/),
      ageMs: expect.any(Number),
      problems: [{ entry: '../x', message: expect.stringContaining('id must be') }],
      agents: [
        { id: 'one', start: { command: 'npx', args: ['-y', '@example/one@1.2.3', '--acp'], env: {} } },
        { id: 'droid', missing: expect.stringContaining('droid-of-a-test') },
      ],
    });
  });

  test('reads a registry of a file, and names what was left out, without escape sequences', async () => {
    const { env, folder } = place();
    const hostile = entry('two', { name: 'Two\u001b[2J\u202e', description: 5 });
    const text = registryText(entry('one', { name: 'One\u001b[2J\n' }), hostile);
    writeFileSync(join(folder, 'registry.json'), text);
    const { stdout, stderr } = await run(['agents'], {
      cwd: folder,
      env: { ...env, ACP_REGISTRY: 'registry.json' },
    });
    expect(stdout).toBe('one  1.2.3  One  npx -y @example/one@1.2.3 --acp\n');
    expect(stderr).toContain('warning: two was left out: description must be a string; got 5.');
    expect(stderr).toMatch(/The registry file was changed on \d/);
  });

  test('prints the last good copy with its age and the problem, when the server is gone', async () => {
    const { env } = place();
    const server = await registryServer(sends(registryText(entry('one'))));
    const options = { env: { ...env, ACP_REGISTRY: server.url } };
    await run(['agents'], options);
    await server.close();
    const { code, stdout, stderr } = await run(['agents'], options);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^one /) });
    expect(stderr).toMatch(
      /^warning: http.* cannot be fetched: .*ECONNREFUSED.* Check the network.*\nThis is the copy of the registry that was fetched on \d/,
    );
  });

  test('exits with 5 when the registry cannot be fetched and there is no copy', async () => {
    const { env, cache } = place();
    const server = await registryServer(() => {});
    const { code, stdout, stderr } = await run(['agents', '--timeout', '300'], {
      env: { ...env, ACP_REGISTRY: server.url },
    });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(
      /^acp-client-sdk: The registry cannot be opened: http.* did not send everything within 300 ms\. .* No copy of it is on this machine\.\n$/,
    );
    expect(existsSync(cache)).toBe(false);
  });

  test.each([
    [
      'http://example.com/registry.json',
      /^acp-client-sdk: ACP_REGISTRY: url must be an address that begins with https/,
    ],
    ['none.json', /^acp-client-sdk: ACP_REGISTRY: the file .*none\.json cannot be read: ENOENT/],
  ])('the registry %s exits with 2', async (registry, says) => {
    const { env, folder } = place();
    const ended = await run(['agents'], { cwd: folder, env: { ...env, ACP_REGISTRY: registry } });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
  });

  test('is interrupted by Ctrl-C', async () => {
    const { env } = place();
    const asked = deferred();
    const server = await registryServer(() => asked.resolve());
    const running = await startCommand(['agents'], { env: { ...env, ACP_REGISTRY: server.url } });
    await asked.promise;
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({
      code: 130,
      stdout: '',
      stderr: 'acp-client-sdk: Interrupted.\n',
    });
  });
});

describe('--agent', () => {
  test('runs an agent of the registry in its version, and asks for the registry once an hour', async () => {
    const { env, runs } = place();
    let current: RequestListener = sends(registryText(entry('one')));
    const server = await registryServer((request, response) => current(request, response));
    const start = (name: string) =>
      run(['inspect', '--agent', name], { env: { ...env, ACP_REGISTRY: server.url } });
    const { code, stdout, stderr } = await start('one');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^small 1\.0\.0\n/);
    expect(runs()).toEqual(['npx -y @example/one@1.2.3 --acp']);
    expect((await start('one')).code).toBe(0);
    expect(server.requests).toHaveLength(1);
    // The copy does not have the agent.
    current = sends(registryText(entry('one'), entry('two')));
    expect((await start('two')).code).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ['on', 'acp-client-sdk: --agent: the registry has no agent "on". It has one, droid.\n'],
    ['droid', '--agent: Its program droid-of-a-test is not in a directory of PATH'],
    ['bad', 'the entry of bad is not one of the registry: distribution is missing'],
  ])(
    'the agent %s, which the registry does not have or cannot be started, exits with 2',
    async (name, says) => {
      const { env } = place();
      const server = await registryServer(sends(registryText(entry('one'), droid, { id: 'bad' })));
      const ended = await run(['inspect', '--agent', name], { env: { ...env, ACP_REGISTRY: server.url } });
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
    },
  );
});
