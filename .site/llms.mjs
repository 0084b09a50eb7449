// Writes llms.txt and llms-full.txt: the documentation for language models, as https://llmstxt.org describes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contents, linkOf, root } from './contents.mjs';

const summary =
  'A client SDK for the Agent Client Protocol (ACP) in TypeScript: it starts a coding agent, checks what the agent can do, drives it, and keeps its transcript. It speaks versions 1 and 2 of the protocol.';

export function writeForModels(folder) {
  const head = `# acp-client-sdk\n\n> ${summary}\n`;
  const list = contents.map(({ title, pages }) => {
    const rows = pages.map((page) => `- [${page.title}](${linkOf(page.path)})`);
    return `\n## ${title}\n\n${rows.join('\n')}\n`;
  });
  writeFileSync(join(folder, 'llms.txt'), head + list.join(''));
  const paths = new Set(contents.flatMap(({ pages }) => pages.map(({ path }) => `docs/${path}`)));
  const texts = ['README.md', ...paths].map(
    (path) => `<!-- ${path} -->\n\n${readFileSync(join(root, path), 'utf8').trim()}\n`,
  );
  writeFileSync(join(folder, 'llms-full.txt'), texts.join('\n'));
}
