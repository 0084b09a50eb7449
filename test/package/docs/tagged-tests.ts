import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pages.ts';

/**
 * A test that a page of the documents refers to. The title begins with tags in brackets, which stay when the title
 * changes or the test moves: `[43]` is an item of docs/conformance.md, `[agents: late-replay]` a row of
 * docs/agent-results.md, `[security: links]` a row of docs/security.md. `vitest -t 'agents: late-replay'` runs the test.
 * What proves rows of two pages has the tags of both, one after the other.
 */
export interface TaggedTest {
  readonly tags: readonly string[];
  /** The title after the tags. */
  readonly title: string;
  /** Path below the root of the repository. */
  readonly file: string;
}

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .sort();

function readTests(file: string): readonly TaggedTest[] {
  const source = readFileSync(join(root, file), 'utf8');
  const titles = source.matchAll(/\(\s*(['"`])((?:\[(?:\w+: )?[\w,-]+\] )+)(.*?)\1/g);
  return [...titles].map(([, , tags = '', title = '']) => ({
    tags: [...tags.matchAll(/\[(\w+: )?([\w,-]+)\]/g)].flatMap(([, prefix = '', names = '']) =>
      names.split(',').map((name) => `${prefix}${name}`),
    ),
    title,
    file,
  }));
}

const tests = files.flatMap(readTests);

/** The tests with a tag of this kind, such as `agents`. Without a kind those whose tags are numbers. */
export function testsTagged(kind?: string): readonly TaggedTest[] {
  const isOfKind = (tag: string) => (kind === undefined ? /^\d+$/.test(tag) : tag.startsWith(`${kind}: `));
  return tests.filter(({ tags }) => tags.some(isOfKind));
}

/** The names in the tags of a kind, each once, in the order of the alphabet. */
export function tagsOf(kind: string): readonly string[] {
  const tags = testsTagged(kind)
    .flatMap((test) => test.tags)
    .filter((tag) => tag.startsWith(`${kind}: `));
  return [...new Set(tags)].map((tag) => tag.slice(kind.length + 2)).sort();
}

/** Those of these files that have a test which never runs. */
export function filesWithSkippedTests(among: ReadonlySet<string>): readonly string[] {
  return files.filter(
    (file) =>
      among.has(file) &&
      /\b(?:test|describe|it)\.(?:skip|todo|only|fails)\b/.test(readFileSync(join(root, file), 'utf8')),
  );
}

/** The files with tests that a page refers to by a tag. */
export const taggedFiles: readonly string[] = tests.map(({ file }) => file);

/**
 * Whether a file has a test or a row of a test with this title, without its tags. A title that ends in `…` is the
 * beginning of exactly one. A file that does not exist has none.
 */
export function hasTest(file: string, title: string): boolean {
  if (!files.includes(file)) return false;
  const source = readFileSync(join(root, file), 'utf8').replaceAll(/\[(?:\w+: )?[\w,-]+\] /g, '');
  const isBeginning = title.endsWith('…');
  const found = ["'", '"', '`'].flatMap((quote) =>
    source.split(`${quote}${isBeginning ? `${title.slice(0, -1)} ` : `${title}${quote}`}`).slice(1),
  );
  return isBeginning ? found.length === 1 : found.length > 0;
}
