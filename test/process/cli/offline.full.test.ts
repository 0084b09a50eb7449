import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { testedAgents } from '../../../src/agents/find.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run, smallAgent, watchProcesses } from './command-line.ts';

beforeAll(buildPackage);

/** A machine without a network, with programs in PATH, each a small agent. */
function machine(programs: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const path = join(folder, 'programs');
  mkdirSync(path);
  for (const [name, how] of Object.entries(programs)) {
    const words = smallAgent(how)
      .slice(1)
      .map((word) => JSON.stringify(word));
    writeFileSync(join(path, name), `#!/bin/sh\nunset NODE_OPTIONS\nexec ${words.join(' ')}\n`);
    chmodSync(join(path, name), 0o755);
  }
  const noNetwork = pathToFileURL(join(import.meta.dirname, '../../support/no-network.mjs')).href;
  const watch = watchProcesses();
  const env = {
    PATH: `${path}:/usr/bin:/bin`,
    XDG_CACHE_HOME: join(folder, 'cache'),
    HOME: folder,
    ACP_TEST_NO_NETWORK: '1',
    NODE_OPTIONS: `--import=${noNetwork}`,
  };
  return { env, alive: watch.alive };
}

const isSnapshot =
  /^warning: .*ENOTFOUND.*\nThis is the registry that this package contains, of .* \(\d{4}-.*Z\)\.\n/;

// The programs are shell scripts.
const onPosix = test.skipIf(process.platform === 'win32');

onPosix('agents lists the snapshot without a network, and says so', async () => {
  const { env } = machine({ npx: 'ordinary', gemini: 'ordinary' });
  const { code, stdout, stderr } = await run(['agents'], { env });
  expect(code).toBe(0);
  expect(stderr).toMatch(isSnapshot);
  for (const { id } of testedAgents) expect(stdout).toMatch(new RegExp(`^${id} `, 'm'));
  expect(stdout).toMatch(/^gemini .*\/programs\/gemini --acp$/m);
  expect(stdout).toMatch(/^codex-acp .*npx -y @agentclientprotocol\/codex-acp@\S+$/m);
  const json = await run(['agents', '--json'], { env });
  expect(JSON.parse(json.stdout)).toMatchObject({ source: 'snapshot', problem: expect.any(String) });
});

onPosix('--agent starts the installed program of the snapshot, and says which registry it is', async () => {
  const { env } = machine({ gemini: 'ordinary' });
  const { code, stdout, stderr } = await run(['inspect', '--agent', 'gemini'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(isSnapshot) });
  expect(stdout).toContain('small 1.0.0');
  const other = await run(['inspect', '--agent', 'nobody'], { env });
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the registry has no agent "nobody"'),
  });
});

onPosix(
  'doctor checks what is installed, lists the others, and does not wait for a session that never opens',
  async () => {
    const { env, alive } = machine({ npx: 'ordinary', gemini: 'ordinary', qwen: 'opens-no-session' });
    const { code, stdout, stderr } = await run(['doctor'], { env });
    expect(stderr).toMatch(isSnapshot);
    expect(stdout).toMatch(/^gemini: small 1\.0\.0$/m);
    expect(stdout.replace(/\s+/g, ' ')).toContain('The agent did not open a session within 15000 ms.');
    expect(stdout).toMatch(/^Not checked\n[\s\S]*codex-acp\s+npx can download it\./m);
    expect(code).toBe(5);
    expect(alive()).toEqual([]);
  },
);
