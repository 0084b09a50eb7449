import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { endProgram, spawn } from '../support/spawn.mjs';
import { installPackage } from './installed.ts';

const run = promisify(execFile);

/** The instructions of a container file, by name. */
function instructionsOf(text: string) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(' ');
      return [name, rest.join(' ')];
    }),
  );
}

// There is no Docker where the tests run.
test('the steps of the container file of docs/examples/serve lead to a server that answers', async () => {
  const consumer = await installPackage();
  onTestFinished(() => consumer.remove());
  const example = join(consumer.folder, 'node_modules/acp-client-sdk/docs/examples/serve');
  const steps = instructionsOf(await readFile(join(example, 'Containerfile'), 'utf8'));
  expect(Object.keys(steps).sort()).toEqual(
    ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'ENTRYPOINT'].sort(),
  );

  const copied = (steps['COPY'] ?? '').split(' ').slice(0, -1);
  for (const name of copied) {
    await writeFile(join(consumer.folder, name), await readFile(join(example, name)));
  }
  // What RUN would install is here already, in the versions that the example names.
  expect(steps['RUN']).toMatch(/^npm install /);
  const { engines } = JSON.parse(await readFile(join(example, '../../../package.json'), 'utf8'));
  expect(Number(/node:(\d+)/.exec(steps['FROM'] ?? '')?.[1])).toBeGreaterThanOrEqual(
    Number(/\d+/.exec(engines.node)?.[0]),
  );
  await consumer.install('@agentclientprotocol/sdk');
  await consumer.install('ws');
  const { dependencies } = JSON.parse(await readFile(join(consumer.folder, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(dependencies)) {
    const installed = JSON.parse(
      await readFile(join(consumer.folder, 'node_modules', name, 'package.json'), 'utf8'),
    );
    expect(`${name} ${installed.version}`).toBe(`${name} ${version}`);
  }

  const env = Object.fromEntries((steps['ENV'] ?? '').split(' ').map((pair) => pair.split('=')));
  expect(env).toEqual({ HOST: '0.0.0.0', NODE_ENV: 'production' });
  const [program, path = ''] = JSON.parse(steps['ENTRYPOINT'] ?? '[]');
  expect(program).toBe('node');
  const script = path.replace(steps['WORKDIR'] ?? '', consumer.folder);
  // Without a token it does not start.
  await expect(run(process.execPath, [script], { env: { ...process.env, ...env } })).rejects.toThrow(
    'ACP_TOKEN',
  );
  const server = spawn(process.execPath, [script], {
    cwd: consumer.folder,
    // Reachable from this machine alone, and on a port that is free.
    env: { ...process.env, ...env, HOST: '127.0.0.1', PORT: '0', ACP_TOKEN: 'secret of the test' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => endProgram(server));
  const [url] = await once(createInterface({ input: server.stdout }), 'line');
  await consumer.write({
    'client.mjs': `import { connect, streamableHttpTransport } from 'acp-client-sdk';
const headers = { Authorization: 'Bearer secret of the test' };
const connection = await connect(() => streamableHttpTransport(process.argv[2], { headers }), {
  clientInfo: { name: 'my-editor', version: '1.0.0' },
});
const session = await connection.newSession({ cwd: process.cwd() });
console.log((await session.prompt('Hello')).stopReason);
await connection.close();
`,
  });
  expect(await consumer.node('client.mjs', String(url))).toBe('end_turn\n');
  // As the runtime of containers ends it.
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
});
