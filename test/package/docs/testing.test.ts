import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

interface Case {
  readonly name: string;
  readonly run: (expectation: typeof expect) => Promise<void>;
}

/** The blocks of the page that are tests, bundled from the sources as a reader would run them. */
async function casesOf(page: string): Promise<readonly Case[]> {
  const source = await readFile(join(root, page), 'utf8');
  const blocks = [...source.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) =>
    code.includes("test('") ? [code] : [],
  );
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'docs-'));
  try {
    const cases: Case[] = [];
    for (const [place, code] of blocks.entries()) {
      const outfile = join(folder, `${place}.mjs`);
      await build({
        stdin: {
          contents: `export const cases = []; let expect; const test = (name, body) => cases.push({ name, run: (given) => { expect = given; return body(); } });\n${code}`,
          resolveDir: root,
          loader: 'ts',
        },
        alias: {
          'acp-client-sdk': join(root, 'src/entries/index.ts'),
          'acp-client-sdk/testing': join(root, 'src/entries/testing.ts'),
        },
        packages: 'external',
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        logLevel: 'error',
      });
      cases.push(...(await import(pathToFileURL(outfile).href)).cases);
    }
    return cases;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const cases = await casesOf('docs/testing.md');

test('the page has test files', () => {
  expect(cases.length).toBeGreaterThan(0);
});

test.each(cases)('$name', async ({ run }) => {
  await run(expect);
});
