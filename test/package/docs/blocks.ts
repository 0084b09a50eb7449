import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, root } from './pages.ts';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** The code with the declarations of what the text around it introduces. */
  readonly code: string;
}

/** The fenced blocks of a page. A comment `<!-- given: … -->` before a block declares names that the prose introduces. */
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

/** The TypeScript of all pages. */
export const programs: readonly Block[] = pages
  .flatMap(blocksOf)
  .filter(({ language }) => /^tsx?$/.test(language));
