import { basename, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** A script for the page: it shows one name for the directories of the tests, which have others each time. */
export const nameDirectories = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const own = /\\/tmp\\/acp-[\\w-]+(?:\\/workspace-\\w+)?/g;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.data === ${JSON.stringify(basename(root))}) text.data = 'garden';
    text.data = text.data.replaceAll(${JSON.stringify(root)}, '/home/ada/garden').replaceAll(own, '/home/ada/garden');
  }
}`;
