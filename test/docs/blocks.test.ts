import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { compile } from './compile.ts';

// The compiler takes a few seconds, and on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

const root = resolve(import.meta.dirname, '../..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api/') && !name.startsWith('examples/'))
    .map((name) => `docs/${name}`),
];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** The fenced blocks of a page. A comment `<!-- given: … -->` before one declares what the prose has introduced. */
function blocksOf(page: string): Block[] {
  const source = readFileSync(join(root, page), 'utf8');
  const found = source.matchAll(/(?:<!-- given:\s*([\s\S]*?)-->\s*\n)?^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...found].map(([whole, given = '', language = '', code = '']) => ({
    page,
    line: source.slice(0, source.indexOf(whole)).split('\n').length,
    language,
    code: `${given}\n${code}\nexport {};\n`,
  }));
}

const blocks = pages.flatMap(blocksOf);
const compiled = blocks.filter(({ language }) => /^tsx?$/.test(language));

test('there are blocks to compile', () => {
  expect(compiled.length).toBeGreaterThan(0);
});

test('every TypeScript block of the documents compiles against the sources', () => {
  const files = new Map<string, Block>(
    compiled.map((block, n) => [`docs/.block-${n}.${block.language}`, block]),
  );
  const faults = compile(new Map([...files].map(([name, { code }]) => [name, code]))).map(
    ({ file, message }) => `${files.get(file)?.page}:${files.get(file)?.line} ${message}`,
  );
  expect(faults).toEqual([]);
}, 60_000);

describe('links', () => {
  const anchorsOf = (page: string) =>
    new Set(
      [...readFileSync(join(root, page), 'utf8').matchAll(/^#+\s+(.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    );

  test.each(pages)('%s points at what is there', (page) => {
    const source = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    const broken = [...source.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].filter(([, link = '']) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : relative(root, resolve(root, page, '..', path));
      try {
        readFileSync(join(root, target));
      } catch {
        return true;
      }
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
    });
    expect(broken.map(([whole]) => whole)).toEqual([]);
  });
});
