import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import allowed from './allowed.json' with { type: 'json' };
import { type Compiler, compileProject } from './compiler.ts';
import { compile as compileFile } from './docs/examples.ts';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';
import { declarationsOf, publicNames } from './public-declarations.ts';

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
      import { connect, remoteTransport, type Session } from 'acp-client-sdk';
      import type { Conversation } from 'acp-client-sdk/conversation';
      export async function open(url: string): Promise<Session> {
        const transport = remoteTransport(url, { WebSocket });
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

/** Pages with the element. The first of them is without a framework. */
const elementPages = {
  'html.ts': `
    import type { Panel } from 'acp-client-sdk/panel';
    import type { AcpPanelElement } from 'acp-client-sdk/panel-element';
    declare const panel: Panel;
    export const found: AcpPanelElement | null = document.querySelector('acp-panel');
    const made: AcpPanelElement = document.createElement('acp-panel');
    made.panel = panel;
    made.addEventListener('acp-open-file', ({ detail }) => detail.line?.toFixed());
    // @ts-expect-error: a text is no panel.
    made.panel = 'text';
  `,
  'react.tsx': `
    import type { Panel } from 'acp-client-sdk/panel';
    import type { AcpPanelElement } from 'acp-client-sdk/panel-element';
    import { createRef } from 'react';
    declare const panel: Panel;
    const place = createRef<AcpPanelElement>();
    export const drawn = <acp-panel panel={panel} placeholder="Ask" agent-name="Ada" className="wide" ref={place} />;
    // @ts-expect-error: a text is no panel.
    export const wrong = <acp-panel panel="text" />;
  `,
  'solid.tsx': `
    /** @jsxImportSource solid-js */
    import type { Panel } from 'acp-client-sdk/panel';
    import type {} from 'acp-client-sdk/panel-element';
    declare const panel: Panel;
    export const drawn = <acp-panel panel={panel} placeholder="Ask" agent-name="Ada" class="wide" />;
    // @ts-expect-error: a text is no panel.
    export const wrong = <acp-panel panel="text" />;
  `,
  'vue.ts': `
    import type { Panel } from 'acp-client-sdk/panel';
    import type {} from 'acp-client-sdk/panel-element';
    import type { GlobalComponents } from 'vue';
    declare const panel: Panel;
    type Props = InstanceType<GlobalComponents['acp-panel']>['$props'];
    export const drawn: Props = { panel, placeholder: 'Ask' };
    // @ts-expect-error: a text is no panel.
    export const wrong: Props = { panel: 'text' };
  `,
};

test.each([
  ['without a framework', ['html.ts'], []],
  ['with React, Solid and Vue', Object.keys(elementPages), ['@types/react', 'react', 'solid-js', 'vue']],
])('a page compiles with the types of the element, %s', async (_, files, frameworks) => {
  for (const name of frameworks) await consumer.install(name);
  await consumer.write(elementPages);
  await compile(files, {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    jsx: 'react-jsx',
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

/** Where the types of data are declared that the library or the agent made. The parameters of raw requests are those of the wire. */
const data = /^core\/(?:model\/(?!content)|protocol\/(?:both|v1|v2|unstable|dialect|normalize|requests))/;

const madeByOthers = Object.values(allowed['optional properties that take no undefined']).flat();

/** The optional properties that a type declares, by their places, and whether `{ key: undefined }` compiles. */
function optionalsOf([place, node]: readonly [string, ts.Node]): readonly (readonly [string, boolean])[] {
  const found: (readonly [string, boolean])[] = [];
  const visit = (part: ts.Node): void => {
    if ((ts.isPropertySignature(part) || ts.isMethodSignature(part)) && part.questionToken) {
      const takesUndefined =
        ts.isPropertySignature(part) && /\b(?:undefined|unknown)\b/.test(part.type?.getText() ?? '');
      found.push([`${place}.${part.name.getText()}`, takesUndefined]);
    }
    ts.forEachChild(part, visit);
  };
  visit(node);
  return found;
}

test('each optional property that users pass takes undefined', () => {
  const places = [...publicNames].filter((place) => !data.test(place));
  const optionals = places.flatMap(declarationsOf).flatMap(optionalsOf);
  expect(optionals.length).toBeGreaterThan(200);
  const missing = optionals.filter(([, takesUndefined]) => !takesUndefined).map(([place]) => place);
  const isMade = (place: string) => (made: string) => place === made || place.startsWith(`${made}.`);
  expect(missing.filter((place) => !madeByOthers.some(isMade(place)))).toEqual([]);
  expect(madeByOthers.filter((made) => !missing.some((place) => isMade(place)(made)))).toEqual([]);
});

/** Calls with values that may be absent, as a program with `exactOptionalPropertyTypes` makes them. */
const programWithout = `
  import { type ClientConnection, connect, type Session, type Transport } from 'acp-client-sdk';
  import { renderHtml, renderText } from 'acp-client-sdk/conversation';
  import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
  import { scriptedAgent } from 'acp-client-sdk/testing';

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
  scriptedAgent({ validate: maybe('v1'), maxLineBytes: maybe(1) }).channel.exit({ signal: maybe('SIGKILL') });
`;

test('a program that passes undefined for options compiles', async () => {
  expect(await compileFile({ 'maybe.ts': programWithout })).toEqual([]);
});
