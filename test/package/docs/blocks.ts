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

/**
 * Fenced blocks: the declarations for it, the file that it is, its language, its code. A comment `<!-- given: … -->`
 * before a block declares names that the prose introduces, and `<!-- file: … -->` names the file that the block is.
 */
export const fencedBlock =
  /(?:<!-- given:\s*([\s\S]*?)-->\s*\n)?(?:<!-- file: (\S+) -->\s*\n)?^```(\w+)\n([\s\S]*?)^```$/gm;

function blocksOf(page: string): Block[] {
  const source = readFileSync(join(root, page), 'utf8');
  return [...source.matchAll(fencedBlock)].map(
    ([whole, given = '', file = '', language = '', code = '']) => ({
      page,
      line: source.slice(0, source.indexOf(whole)).split('\n').length,
      // The files of a page import each other, and are compiled together.
      language: / from '\.\//.test(code) ? `${language} of ${file}` : language,
      code: `${given}\n${code}\nexport {};\n`,
    }),
  );
}

/** The TypeScript of all pages. */
export const programs: readonly Block[] = pages
  .flatMap(blocksOf)
  .filter(({ language }) => /^tsx?$/.test(language));
