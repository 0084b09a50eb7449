import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** A script for the page: it shows one name for the directories of the tests, which have others each time. */
export const nameDirectories = `{
  const own = /\\/tmp\\/acp-[\\w-]+(?:\\/workspace-\\w+)?/g;
  const panels = Array.from(document.querySelectorAll('acp-panel'), ({ shadowRoot }) => shadowRoot);
  for (const root of [document.body, ...panels]) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      text.data = text.data.replaceAll(${JSON.stringify(root)}, '/home/ada/garden').replaceAll(own, '/home/ada/garden');
      text.data = text.data.replace(/\\bacp-web-\\w+$/, 'garden');
    }
  }
}`;
