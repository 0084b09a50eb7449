import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compiler, compileProject } from './compiler.ts';
import { checker, compile as compileFile, entries as entryPoints, exportsOf } from './docs/examples.ts';
import { root } from './docs/pages.ts';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

/** An optional property of a value that users pass to the library. */
interface OptionalInput {
  /** The names on the way to it: `scriptedAgent(options).validate`. */
  readonly place: string;
  /** Whether `{ key: undefined }` compiles with `exactOptionalPropertyTypes`. */
  readonly takesUndefined: boolean;
}

/** Interfaces that users implement and the library calls. */
const writtenByUsers: ReadonlySet<string> = new Set([
  'TerminalHandlers',
  'PermissionRulesOptions',
  'Tool',
  'McpServerOptions',
]);

/** Some types hold themselves, in new instances of a generic type. */
const maxDepth = 8;

/** The optional properties in all input positions of an entry: parameters, and what callbacks return. */
function optionalInputs(entry: string): readonly OptionalInput[] {
  const found = new Map<string, OptionalInput>();
  const seen = new Set<ts.Type>();
  for (const symbol of exportsOf(entry)) {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    if (!declaration) continue;
    const type =
      symbol.flags & ts.SymbolFlags.Value
        ? checker.getTypeOfSymbolAtLocation(symbol, declaration)
        : checker.getDeclaredTypeOfSymbol(symbol);
    if (symbol.flags & ts.SymbolFlags.Value) {
      for (const signature of type.getCallSignatures()) visitCall(signature, symbol.name);
    }
    visitOutput(type, symbol.name);
    if (symbol.flags & ts.SymbolFlags.Class)
      visitOutput(checker.getDeclaredTypeOfSymbol(symbol), symbol.name);
  }
  return [...found.values()];

  /** A value of the library: users call its functions. */
  function visitOutput(type: ts.Type, place: string): void {
    if (writtenByUsers.has(place)) return;
    for (const property of type.getProperties()) {
      // What is optional is a callback of the user.
      if (!isOurs(property) || property.flags & ts.SymbolFlags.Optional) continue;
      const propertyType = checker.getNonNullableType(checker.getTypeOfSymbol(property));
      for (const signature of propertyType.getCallSignatures())
        visitCall(signature, `${place}.${property.name}`);
    }
  }

  function visitCall(signature: ts.Signature, place: string): void {
    for (const parameter of signature.parameters) {
      visitInput(checker.getTypeOfSymbol(parameter), `${place}(${parameter.name})`);
    }
  }

  /** A value of the user, with all that it holds. */
  function visitInput(whole: ts.Type, place: string, depth = 0): void {
    if (depth > maxDepth) return;
    const type = checker.getNonNullableType(whole);
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visitInput(part, place, depth + 1);
      if (type.isUnion()) return;
    }
    // The library creates the objects of its classes.
    if (seen.has(type) || type.isClass()) return;
    seen.add(type);
    for (const signature of type.getCallSignatures()) {
      visitInput(
        checker.getAwaitedType(signature.getReturnType()) ?? signature.getReturnType(),
        `${place}()`,
        depth + 1,
      );
    }
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (checker.isArrayLikeType(type)) {
      if (element) visitInput(element, `${place}[]`, depth + 1);
      return;
    }
    for (const property of type.getProperties()) {
      if (!isOurs(property)) continue;
      const key = `${place}.${property.name}`;
      if (property.flags & ts.SymbolFlags.Optional) {
        const declared = placeOf(property);
        found.set(declared, { place: `${key} (${declared})`, takesUndefined: takesUndefined(property) });
      }
      visitInput(checker.getTypeOfSymbol(property), key, depth + 1);
    }
  }
}

/**
 * Where the types of data are declared that the library or the agent made, such as a conversation. A user passes them on
 * as they are. The parameters of raw requests have the types of the wire.
 */
const data = /^src\/core\/(model\/(?!content)|protocol\/(v1|v2|unstable|dialect|normalize))/;

/** Whether the property is declared in the sources of this library, in a type of which users write values. */
function isOurs(property: ts.Symbol): boolean {
  const file = property.declarations?.[0]?.getSourceFile().fileName ?? '';
  return file.startsWith(`${root}/src/`) && !data.test(file.slice(root.length + 1));
}

function placeOf(property: ts.Symbol): string {
  const declaration = property.declarations?.[0];
  if (!declaration) return property.name;
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${file.fileName.slice(root.length + 1)}:${line + 1} ${property.name}`;
}

/** The type of an optional property has a `undefined` of its own only if it is written. */
function takesUndefined({ declarations = [] }: ts.Symbol): boolean {
  return declarations.every((declaration) => {
    if (ts.isMethodSignature(declaration)) return false;
    if (!ts.isPropertySignature(declaration) || !declaration.questionToken || !declaration.type) return false;
    const type = checker.getTypeFromTypeNode(declaration.type);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some((part) => part.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Unknown));
  });
}

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
