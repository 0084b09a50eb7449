import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleProgram } from '../../support/build.ts';
import { sharedFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const packages = ['@modelcontextprotocol/server', '@valibot/to-json-schema'];

/** Opens a session with each kind of server, and prints what happened and how often something was sent. */
const source = `
import * as v from 'valibot';
import * as z from 'zod';
import { connect } from './src/entries/index.ts';
import { scriptedAgent } from './src/entries/testing.ts';
import { mcpServer, toolServer } from './src/entries/tools.ts';

const json = { type: 'object', properties: {} };
const withInput = (input) => toolServer({ name: 'editor', tools: { one: { description: '1', input, run: () => '1' } } });
const servers = {
  json: withInput(json),
  zod: withInput(z.object({})),
  valibot: withInput(v.object({})),
  wrapped: mcpServer({ name: 'own', create: () => { throw new Error('not called'); } }),
};
const agent = scriptedAgent()
  .on('initialize', { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } })
  .on('session/new', { sessionId: 's1' });
const connection = await connect(agent.transport, {
  clientInfo: { name: 'test', version: '0' },
  onDiagnostic() {},
});
const outcomes = {};
for (const [name, server] of Object.entries(servers)) {
  const opened = await connection.newSession({ cwd: '/home/ada', mcpServers: [server] }).catch((error) => error);
  let first = opened;
  while (first.cause !== undefined) first = first.cause;
  outcomes[name] =
    opened instanceof Error ? opened.code + ': ' + opened.message + '\\nThe first error: ' + first.code : 'opened';
}
outcomes.sent = agent.calls('session/new').length;
await connection.newSession({ cwd: '/home/ada' });
await connection.close();
console.log(JSON.stringify(outcomes));
`;

const program = join(sharedFolder(), 'program.mjs');
beforeAll(async () => {
  await bundleProgram({
    stdin: { contents: source, resolveDir: root },
    outfile: program,
    external: packages.flatMap((name) => [name, `${name}/*`]),
  });
});

/** Runs the program in a folder that has these packages only. */
async function outcomesWith(installed: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const folder = temporaryFolder();
  for (const name of installed) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'junction');
  }
  const copy = join(folder, 'program.mjs');
  await copyFile(program, copy);
  const { stdout } = await promisify(execFile)(process.execPath, [copy]);
  return JSON.parse(stdout);
}

const needs = (what: string, name: string) =>
  expect.stringMatching(
    new RegExp(
      `^usage\\.params: newSession: ${what} need the package ${name}, which cannot be loaded: [^]*Nothing was sent\\. Install it: npm install ${name}\nThe first error: ERR_MODULE_NOT_FOUND$`,
    ),
  );

test('without the package of MCP, each server is refused with an error that names it', async () => {
  const server = needs('Tools of the editor', '@modelcontextprotocol/server');
  expect(await outcomesWith(['@valibot/to-json-schema'])).toEqual({
    json: server,
    zod: server,
    valibot: server,
    wrapped: server,
    sent: 0,
  });
});

test('a schema of valibot needs its package, and the other schemas do not', async () => {
  expect(await outcomesWith(['@modelcontextprotocol/server'])).toEqual({
    json: 'opened',
    zod: 'opened',
    valibot: needs('Tools with a schema of valibot', '@valibot/to-json-schema'),
    wrapped: 'opened',
    sent: 3,
  });
});

const editorProgram = join(sharedFolder(), 'editor.mjs');

/** An editor that has made the folder of a server over stdio, and says where it is. */
const editor = `
import { createServer } from 'node:net';
import { privateFolder } from './src/tools/private-folder.ts';
const { path } = await privateFolder(
  ({ socketPath }) => new Promise((resolve) => createServer().listen(socketPath, resolve)),
);
console.log(path);
process.stdin.resume().on('end', () => process.exit());
`;

// Windows has no such signals.
describe.skipIf(process.platform === 'win32')(
  '[security: tools-leftovers] the folder of the tools over stdio',
  () => {
    beforeAll(async () => {
      await bundleProgram({
        stdin: { contents: editor, resolveDir: root, loader: 'ts' },
        outfile: editorProgram,
      });
    });

    async function started() {
      const child = spawn(process.execPath, [editorProgram]);
      onTestFinished(() => void child.kill('SIGKILL'));
      const [line] = await once(child.stdout, 'data');
      const path = String(line).trim();
      expect(existsSync(path)).toBe(true);
      return { child, path };
    }

    test('is gone when a signal has ended the editor, and when it has exited', async () => {
      const endings = [...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const), 'the end of its input'] as const;
      const ends = endings.map(async (end) => {
        const { child, path } = await started();
        const exited = once(child, 'exit');
        if (end === 'the end of its input') child.stdin.end();
        else child.kill(end);
        return [end, ...(await exited), existsSync(path)];
      });
      expect(await Promise.all(ends)).toEqual([
        ['SIGINT', null, 'SIGINT', false],
        ['SIGTERM', null, 'SIGTERM', false],
        ['SIGHUP', null, 'SIGHUP', false],
        ['the end of its input', 0, null, false],
      ]);
    });

    test('that something else has removed is no reason to fail when the editor exits', async () => {
      const { child, path } = await started();
      let errors = '';
      child.stderr.on('data', (text) => {
        errors += String(text);
      });
      await rm(path, { recursive: true });
      child.stdin.end();
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(errors).toBe('');
    });
  },
);
