import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../support/temporary-folder.ts';
import { entries } from './entries.ts';
import { type Consumer, installPackage, tarball } from './installed.ts';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The paths that the manifest names, at any depth of `value`. */
function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [value.slice(2)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

describe('the tarball that npm publishes', () => {
  const listed = execFileSync('tar', ['-tzf', tarball()], { encoding: 'utf8' });
  const paths = listed
    .trim()
    .replaceAll(/^package\//gm, '')
    .split('\n');

  test('has every file that package.json names', () => {
    const { exports, bin, main, types } = manifest;
    const named = pathsIn([exports, bin, main, types, manifest.module]);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('has the build, the documents, and nothing else', () => {
    const allowed =
      /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts)|dist\/entry\.css|dist\/third-party-licenses\.txt|dist\/inspector\.html\.br|docs\/(?!api\/|decisions\/|architecture\.md|conformance\.md|contributing\.md|maintaining\.md)[\w./-]+\.(?:md|ts|tsx|mjs|js|jsx|css|html|json|svg|png)|\.site\/images\/web-light\.png|docs\/examples\/serve\/Containerfile|docs\/examples\/vscode\/(?:LICENSE|\.vscodeignore|\.vscode\/(?:launch|tasks)\.json))$/;
    expect(paths).not.toContain('dist/cli.cjs');
    expect(
      paths.filter(
        (path) => !allowed.test(path) || /(?:^|\/)\.(?!vscode(?:ignore$|\/)|site\/images\/)/.test(path),
      ),
    ).toEqual([]);
    for (const path of ['README.md', 'LICENSE', 'docs/security.md']) expect(paths).toContain(path);
  });

  test('has no credentials and no paths of the machine that built it', () => {
    const suspicious = paths.filter(
      (path) =>
        /BEGIN [A-Z ]*PRIVATE KEY|npm_[A-Za-z0-9]{36}|ghp_[A-Za-z0-9]{36}/.test(
          readFileSync(join(root, path), 'utf8'),
        ) || readFileSync(join(root, path), 'utf8').includes(root),
    );
    expect(suspicious).toEqual([]);
  });
});

/** Pages that are in the repository and on the site only. */
const leftOut =
  /^docs\/(?:(?:api|decisions)\/|(?:agent-results|architecture|command-line|conformance|contributing|faq|frameworks|inspector|maintaining|migration|performance|reliability|support|traces|versions)\.md$)/;

describe('the documents in the tarball', () => {
  const folder = sharedFolder();
  let pages: readonly string[] = [];
  beforeAll(() => {
    const list = ['-xzvf', tarball(), '-C', folder, '--strip-components=1'];
    const files = execFileSync('tar', list, { encoding: 'utf8' })
      .replaceAll(/^package\//gm, '')
      .split('\n');
    pages = files.filter((path) => path.endsWith('.md'));
  });

  const read = (page: string) => readFileSync(join(folder, page), 'utf8').replace(/```[\s\S]*?```/g, '');

  test('link only what is in the tarball', () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
    );
    expect(pages.length).toBeGreaterThan(25);
    expect(links.length).toBeGreaterThan(200);
    const broken = links.filter(({ page, link }) => {
      const [path = ''] = link.split('#');
      const target = path === '' ? page : join(page, '..', path);
      if (leftOut.test(target)) return !existsSync(join(root, target));
      return !statSync(join(folder, target), { throwIfNoEntry: false })?.isFile();
    });
    expect(broken).toEqual([]);
  });

  test('contain no note for the person who publishes the package', () => {
    const told = pages.filter((page) =>
      /note for the publisher|before the first release|replace this/i.test(read(page)),
    );
    expect(told).toEqual([]);
  });
});

describe('the manifest', () => {
  test('runs no script when the package is installed, and builds it before it is packed', () => {
    const scripts = Object.keys(manifest.scripts);
    const onInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
    expect(scripts.filter((name) => onInstall.includes(name))).toEqual([]);
    expect(manifest.scripts.prepack).toBe('npm run build');
  });

  test('asks npm to attest where the package was built', () => {
    expect(manifest.publishConfig).toEqual({ provenance: true });
  });
});

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
