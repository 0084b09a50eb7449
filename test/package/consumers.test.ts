import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findings, program } from './consumer.ts';
import { root } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

// The compiler takes a few seconds, and on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
  await consumer.install('@types/node');
});
afterAll(() => consumer?.remove());

/** Compiles a file of the project. */
async function compile(name: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const tsconfig = {
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
      ...options,
    },
    files: [name],
  };
  await consumer.write({ 'tsconfig.json': JSON.stringify(tsconfig) });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = run(process.execPath, [tsc, '--pretty', 'false'], { cwd: consumer.folder });
  // What the compiler has to say stands on stdout.
  await compiled.catch((error: { readonly stdout: string }) => expect.fail(error.stdout));
}

test.each([
  ['mts', 'mjs'],
  ['cts', 'cjs'],
])('a TypeScript program (.%s) compiles against the package, and runs', async (source, compiled) => {
  await consumer.write({ [`program.${source}`]: await program() });
  await compile(`program.${source}`, { module: 'node16', types: ['node'], skipLibCheck: true });
  expect(JSON.parse(await consumer.node(`program.${compiled}`))).toEqual(findings);
});

test('a page compiles against the package with a bundler, without the types of Node', async () => {
  await consumer.write({
    'page.ts': `
      import { connect, webSocketTransport, type Session } from 'acp-client-sdk';
      import type { Conversation } from 'acp-client-sdk/conversation';
      export async function open(url: string): Promise<Session> {
        const transport = webSocketTransport(new WebSocket(url));
        const connection = await connect(transport, { clientInfo: { name: 'page', version: '1.0.0' } });
        return connection.newSession({ cwd: '/project' });
      }
      export const lengthOf = (conversation: Conversation): number => conversation.entries.length;
    `,
  });
  await compile('page.ts', {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    // Every declaration that the page needs is checked as well, those of the dependencies included.
    skipLibCheck: false,
    noEmit: true,
  });
});

test('a connection and a session are not for a program to construct', async () => {
  await consumer.write({
    'construct.mts': `
      import { ClientConnection, Session } from 'acp-client-sdk';
      // @ts-expect-error It is had from connect.
      export const connection = new ClientConnection();
      // @ts-expect-error It is had from a connection.
      export const session = new Session();
    `,
  });
  await compile('construct.mts', { module: 'node16', types: ['node'], skipLibCheck: true, noEmit: true });
});

test('errors are recognized across the two copies of the package', async () => {
  await consumer.write({
    'copies.mjs': `
      import { createRequire } from 'node:module';
      import { AcpError, TimeoutError } from 'acp-client-sdk';
      const copy = createRequire(import.meta.url)('acp-client-sdk');
      const error = new copy.TimeoutError('too late', { timeoutMs: 1 });
      console.log(JSON.stringify([
        error instanceof TimeoutError,
        AcpError.is(error),
        copy.AcpError.is(new TimeoutError('too late', { timeoutMs: 1 })),
        AcpError.is(new Error('too late')),
      ]));
    `,
  });
  expect(JSON.parse(await consumer.node('copies.mjs'))).toEqual([false, true, true, false]);
});

test('the command line is a program that runs, with the demo agent that comes with it', async () => {
  const cli = join(consumer.folder, 'node_modules/acp-client-sdk/dist/cli.js');
  // For whoever installed it; the rest is as their umask has it.
  expect((await stat(cli)).mode & 0o100).toBe(0o100);
  const { stdout } = await run(cli, ['inspect', '--json'], { cwd: consumer.folder });
  expect(JSON.parse(stdout)).toMatchObject({ agentInfo: { name: expect.any(String) } });
});
