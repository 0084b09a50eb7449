import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compiler, compileProject } from './compiler.ts';
import { compile as compileFile } from './docs/compile.ts';
import { entries as entryPoints } from './docs/public-names.ts';
import { entries } from './entries.ts';
import { optionalInputs } from './input-positions.ts';
import { type Consumer, installPackage } from './installed.ts';

/** The program of a user, with the package in place of the sources. */
async function program(): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'consumer-program.ts'), 'utf8');
  const names = new Map(Object.entries(entries).map(([name, file]) => [file, name]));
  return source.replace(/'..\/..\/src\/entries\/(.+?)\.ts'/g, (_, file: string) => `'${names.get(file)}'`);
}

/** What the program prints, where the package works. */
const findings = {
  stopReason: 'end_turn',
  said: ['Hello?', 'Hello.'],
  refused: 'session.load',
  demoSessions: true,
  failed: 'agent.spawn',
  blocks: ['text', 'text'],
  folded: expect.stringContaining('Folded.'),
};

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
  await consumer.install('@types/node');
});
afterAll(() => consumer?.remove());

/** Compiles files of the project. */
async function compile(
  files: readonly string[],
  options: Readonly<Record<string, unknown>>,
  compiler?: Compiler,
): Promise<void> {
  const tsconfig = {
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
      ...options,
    },
    files,
  };
  await consumer.write({ 'tsconfig.json': JSON.stringify(tsconfig) });
  await compileProject(consumer.folder, compiler);
}

test.each<Compiler>(['typescript', 'typescript-native'])(
  'programs as ES module and as CommonJS compile against the package with %s, and run',
  async (compiler) => {
    const source = await program();
    await consumer.write({ 'program.mts': source, 'program.cts': source });
    const options = { module: 'node16', types: ['node'], skipLibCheck: true };
    // One run of the compiler for both: it takes most of the time.
    await compile(['program.mts', 'program.cts'], options, compiler);
    expect(JSON.parse(await consumer.node('program.mjs'))).toEqual(findings);
    expect(JSON.parse(await consumer.node('program.cjs'))).toEqual(findings);
  },
);

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
  await compile(['page.ts'], {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    // Checks every declaration that the page needs, those of the dependencies included.
    skipLibCheck: false,
    noEmit: true,
  });
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

/**
 * What VS Code passes, what a connection passes to the handlers of `./vscode`, what a session, a connection or a panel
 * has that is passed on, and methods that an object has or has not. No user writes these objects with `undefined`.
 */
const passedByOthers =
  /src\/ui\/vscode\/api\.ts|^WorkspaceFiles\.|src\/core\/client\/(?:session\/turn|requests\/handlers)\.ts|src\/ui\/panel\/state\.ts|src\/core\/protocol\/calls\.ts|src\/records\/transcripts\/storage\.ts|permission-rules\.ts:\d+ ask/;

const inputs = entryPoints.flatMap(optionalInputs).filter(({ place }) => !passedByOthers.test(place));

test('each optional property that users pass takes undefined', () => {
  expect(inputs.length).toBeGreaterThan(80);
  expect(inputs.filter(({ takesUndefined }) => !takesUndefined).map(({ place }) => place)).toEqual([]);
});

/** Calls with values that may be absent, as a program with `exactOptionalPropertyTypes` makes them. */
const programWithout = `
  import { type ClientConnection, connect, type Session, type Transport } from 'acp-client-sdk';
  import { renderHtml, renderText } from 'acp-client-sdk/conversation';
  import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
  import { faults, scriptedAgent } from 'acp-client-sdk/testing';

  declare function maybe<T>(value: T): T | undefined;
  declare const connection: ClientConnection;
  declare const session: Session;
  declare const transport: Transport;
  const { signal } = new AbortController();

  session.prompt('Hi.', { signal: maybe(signal), timeoutMs: maybe(1), meta: maybe({}) });
  session.prompt([{ type: 'image', data: '', mimeType: 'image/png', uri: maybe(''), annotations: maybe({}) }]);
  connection.listSessions({ cwd: maybe('/a'), cursor: maybe('') });
  connection.newSession({
    cwd: '/a',
    additionalDirectories: maybe(['/b']),
    mcpServers: maybe([{ name: 'a', command: '/a', args: maybe(['b']), env: maybe([]) }]),
  });
  connect(transport, {
    clientInfo: { name: 'a', version: '1' },
    signal: maybe(signal),
    handlers: maybe({ requestPermission: maybe(() => ({ outcome: 'cancelled' as const })) }),
    reconnect: maybe({ maxAttempts: maybe(3) }),
  });
  spawnAgent({ command: 'a', args: maybe(['b']), cwd: maybe('/a'), env: maybe({}) });
  demoAgentCommand({ dialect: maybe('v1') });
  renderText(session.conversation, { width: maybe(80) });
  renderHtml(session.conversation, { title: maybe('A') });
  scriptedAgent({ validate: maybe('v1'), faults: maybe([faults.exitAfter('a', { signal: maybe('SIGKILL') })]) });
`;

test('a program that passes undefined for options compiles', async () => {
  expect(await compileFile({ 'maybe.ts': programWithout })).toEqual([]);
});
