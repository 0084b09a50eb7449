import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

interface Findings {
  /** The names that each entry exports at run time, in the order of the alphabet. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** The name under which each class is exported, and the name that it has. */
  readonly classes: readonly (readonly [exported: string, own: string])[];
  readonly connection: string;
  readonly session: string;
  /** An error of a call on a connection to an agent of `./testing`, by its class. */
  readonly refused: string;
  readonly isNotFound: boolean;
  /** Whether an error of `./node` is an instance of the class of `.`. */
  readonly isSpawnError: boolean;
  /** The stack of an error: the library reads a property of the stream that the program does not pass. */
  readonly stack: string;
}

const program = (load: string) => `(async () => {
  const names = {};
  const classes = [];
  for (const entry of ${JSON.stringify(Object.keys(entries))}) {
    const exported = await ${load}(entry);
    names[entry] = Object.keys(exported).sort();
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value === 'function' && /^class\\b/.test(String(value))) classes.push([name, value.name]);
    }
  }
  const { connect, ndjsonTransport, NotFoundError, RequestError, SpawnError } = await ${load}('acp-client-sdk');
  const { scriptedAgent } = await ${load}('acp-client-sdk/testing');
  const { spawnAgent } = await ${load}('acp-client-sdk/node');
  const clientInfo = { name: 'test', version: '1' };
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: { loadSession: true } })
    .on('session/new', { sessionId: 's1' })
    .on('session/load', () => { throw new RequestError(-32002, 'Unknown session'); });
  const connection = await connect(agent.transport, { clientInfo });
  const session = await connection.newSession({ cwd: '/project' });
  const error = await connection.loadSession({ sessionId: 's2', cwd: '/project' }).catch((reason) => reason);
  const spawned = await connect(spawnAgent({ command: '/no/such/agent' }), { clientInfo }).catch((reason) => reason);
  let stack;
  try { ndjsonTransport(); } catch (reason) { stack = reason.stack; }
  console.log(JSON.stringify({
    names,
    classes,
    connection: connection.constructor.name,
    session: session.constructor.name,
    refused: error.constructor.name,
    isNotFound: error instanceof NotFoundError,
    isSpawnError: spawned instanceof SpawnError,
    stack,
  }));
  await connection.close();
})();`;

let consumer: Consumer;
let home: string;
let esModules: Findings;
let commonJs: Findings;
beforeAll(async () => {
  consumer = await installPackage();
  // The entry for Markdown needs its peer dependency when it is imported.
  await consumer.install('markdown-it');
  home = join(consumer.folder, 'node_modules/acp-client-sdk');
  await consumer.write({ 'entries.mjs': program('import'), 'entries.cjs': program('require') });
  esModules = JSON.parse(await consumer.node('entries.mjs'));
  commonJs = JSON.parse(await consumer.node('entries.cjs'));
});
afterAll(() => consumer?.remove());

test('the names of the entries are those of the snapshot, and the same to import and to require', async () => {
  expect(commonJs.names).toEqual(esModules.names);
  expect(Object.values(esModules.names).filter((names) => names.length === 0)).toEqual([]);
  // Those of the schemas are the protocol's own names, and are held against its schema elsewhere.
  const own = Object.entries(esModules.names).filter(([entry]) => !entry.includes('/schema/'));
  const lines = own.flatMap(([entry, names]) => names.map((name) => `${entry} ${name}\n`));
  await expect(lines.sort().join('')).toMatchFileSnapshot('exports.txt');
});

describe.each([
  ['mjs', 'await import', () => esModules],
  ['cjs', 'require', () => commonJs],
] as const)('the entries of the package (.%s)', (extension, load, findingsOf) => {
  test('have classes with the names under which they are exported, and that can be read', () => {
    const findings = findingsOf();
    expect(findings.classes.length).toBeGreaterThan(15);
    expect(findings.classes.filter(([exported, own]) => exported !== own)).toEqual([]);
    expect(findings).toMatchObject({
      connection: 'OpenConnection',
      session: 'OpenSession',
      refused: 'NotFoundError',
    });
  });

  test('have the same classes', () => {
    expect(findingsOf()).toMatchObject({ isNotFound: true, isSpawnError: true });
  });

  test('make a stack that names a function and a line that can be read, below the name of its source', async () => {
    const frame = /^ +at (\S+) \((?:file:\/\/)?([^\s()]+):(\d+):\d+\)$/m.exec(findingsOf().stack);
    const [, name, path = '', line = ''] = frame ?? [];
    expect(name).toBe('inputFrom');
    expect(relative(home, path)).toMatch(/^dist[\\/][\w-]+\.c?js$/);
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, Number(line));
    expect(lines.at(-1)).toMatch(/^ *.*"getReader" in stream.{0,80}$/);
    expect(lines.findLast((text) => text.startsWith('// src/'))).toBe(
      '// src/core/transport/byte-streams.ts',
    );
  });

  test('have no side effects when they are imported', async () => {
    await consumer.write({
      [`quiet.${extension}`]: `
        const state = () => JSON.stringify({
          // Less the requests of Node's own loader, which come and go.
          resources: process.getActiveResourcesInfo().filter((name) => !name.includes('Req')).sort(),
          listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]).sort(),
          globals: Object.getOwnPropertyNames(globalThis).sort(),
          environment: Object.keys(process.env).sort(),
        });
        (async () => {
          // While it evaluates the first module, Node itself listens to the end of the process.
          await new Promise(setImmediate);
          const before = state();
          for (const entry of ${JSON.stringify(Object.keys(entries))}) ${load}(entry);
          if (state() !== before) throw new Error(before + ' became ' + state());
        })();
      `,
    });
    // That it comes to an end by itself is the other half: nothing is left that Node would wait for.
    expect(await consumer.node(`quiet.${extension}`)).toBe('');
  });
});

test('no module of the build names a map that the package does not have, or renames a class', async () => {
  const names = await readdir(join(home, 'dist'));
  const modules = names.filter((name) => /\.c?js$/.test(name));
  expect(modules.length).toBeGreaterThan(100);
  const texts = await Promise.all(modules.map((name) => readFile(join(home, 'dist', name), 'utf8')));
  expect(modules.filter((_, index) => texts[index]?.includes('sourceMappingURL'))).toEqual([]);
  const declared = texts.flatMap((code) => [
    ...code.matchAll(/^(?:var|let|const) (\w+) = class(?: (?!extends\b)(\w+))?[ {]|^class (\w+)/gm),
  ]);
  const classes = declared.map(([, variable, own, name]) => [variable ?? name, own ?? variable ?? name]);
  expect(classes.length).toBeGreaterThan(60);
  // The bundler renames a class that refers to itself (_Name) and a second one with the same name (Name2).
  expect(classes.filter(([variable, own]) => own !== variable || /^_|\d$/.test(own ?? ''))).toEqual([]);
});
