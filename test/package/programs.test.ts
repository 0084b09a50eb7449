import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { isAccepted, readRelease, versions } from '../compatibility/releases.ts';
import allowed from './allowed.json' with { type: 'json' };
import { compileFiles } from './compiler.ts';
import { entries, root } from './entries.ts';
import { folderOf } from './imports.ts';
import { namesOf, publicNames } from './public-declarations.ts';

const files = readdirSync(new URL('../../src/', import.meta.url), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path));

// The demo agent is the other end of a connection: a client of the library does not have what it needs.
const programs = ['programs/cli', 'programs/inspector'];

/** What is drawn is drawn by the same parts in the programs, and users have these parts in what they import. */
const drawing = ['core/render', 'ui/panel-element'];

// The list only becomes shorter: a program that needs more shows that users need it too.
test('programs import public names and what draws, and of others no more than those in the list', () => {
  const used = files
    .filter((file) => programs.includes(folderOf(file)))
    .flatMap(namesOf)
    .filter((name) => {
      const room = folderOf(name);
      return (
        !name.startsWith('..') &&
        !drawing.includes(room) &&
        !programs.includes(room) &&
        !publicNames.has(name)
      );
    });
  expect([...new Set(used)].sort()).toEqual(allowed['names that programs import and users cannot']);
});

/** Compiles files against the declarations that were built. */
function compile(files: Readonly<Record<string, string>>): Promise<void> {
  const paths = Object.entries(entries).map(([entry, file]) => [entry, [`${root}/dist/${file}.d.ts`]]);
  return compileFiles(files, {
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    typeRoots: [`${root}/node_modules/@types`],
    paths: Object.fromEntries(paths),
  });
}

test.each(versions)(
  'the programs in the documents of %s compile against these declarations',
  async (version) => {
    const { programs } = readRelease(version);
    const names = Object.keys(programs).filter((name) => !isAccepted(version, name));
    expect(names.length).toBeGreaterThan(40);
    await compile(
      Object.fromEntries(names.map((name) => [name.replaceAll(/[/#]/g, '-'), programs[name] ?? ''])),
    );
  },
);

test('a program that uses a name that does not exist does not compile', async () => {
  const program = "import { connectTwice } from 'acp-client-sdk';\nconnectTwice();\n";
  await expect(compile({ 'program.ts': program })).rejects.toThrow(/connectTwice/);
});

/** The files that a program loads before it runs, so without those of `import()`. Paths below the repository. */
async function loadedAtStart(program: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [program],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: root,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const loaded = new Set([program]);
  for (const file of loaded) {
    for (const { kind, path } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in metafile.inputs) loaded.add(path);
    }
  }
  return [...loaded];
}

test('the command line loads no command and no connection for help and wrong usage', async () => {
  const loaded = await loadedAtStart('src/programs/cli/index.ts');
  expect(loaded).toContain('src/programs/cli/help.ts');
  const part =
    /^src\/(?:programs\/cli\/commands|core\/(?:client|protocol|rpc|transport)|node|agents|records\/testing)\//;
  expect(loaded.filter((file) => part.test(file))).toEqual([]);
  const packages = loaded.map((file) => /^node_modules\/([^/]+)/.exec(file)?.[1]).filter(Boolean);
  expect(packages).toEqual([]);
});

const page = readFileSync(join(root, 'dist/inspector.html'), 'utf8');
const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
const inline = (tag: string) => [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))];
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('the page of the inspector', () => {
  test('is at most 50 KiB, gzipped', () => {
    const kib = gzipSync(page, { level: 9 }).length / 1024;
    expect(kib).toBeLessThanOrEqual(50);
    // A page that is empty by mistake is no small one.
    expect(kib).toBeGreaterThan(20);
  });

  test('allows its own script and style by their hashes, and nothing else', () => {
    const [script, ...otherScripts] = inline('script');
    const [style, ...otherStyles] = inline('style');
    expect([otherScripts.length, otherStyles.length]).toEqual([0, 0]);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script?.[1] ?? '')}`,
      `style-src ${hashOf(style?.[1] ?? '')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  test('loads nothing', () => {
    const loading = page.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '').match(/\b(?:src|href)="[^"]*"/g);
    expect(loading).toEqual(['href="data:,"']);
  });

  test('has the licenses of the packages whose code is in it', () => {
    const licenses = readFileSync(join(root, 'dist/third-party-licenses.txt'), 'utf8');
    for (const name of ['preact', 'diff', 'valibot'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
