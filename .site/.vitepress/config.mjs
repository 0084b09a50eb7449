import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { contents, linkOf, root } from '../contents.mjs';
import { writeForModels } from '../llms.mjs';
import { guidesFirst, renderPlain, slugify, withoutEmptyHeaders, withoutSmallWords } from '../markdown.mjs';
import { samples } from '../samples.mjs';
import { stage, writePages } from '../stage.mjs';
import { typeHovers } from '../type-hovers.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Where the site is on its server, such as `/docs/`. */
const base = process.env.DOCS_BASE ?? '/';
const sidebar = contents.map(({ title, pages }) => ({
  text: title,
  items: pages.flatMap(({ title: text, path }) => {
    const item = { text: text.replaceAll('<', '&lt;'), link: linkOf(path) };
    return path === 'inspector.md' ? [item, { text: 'Recordings', link: '/recordings' }] : [item];
  }),
}));

/** Two arrows in opposite directions: the messages of a client and of an agent. */
const mark = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b62c4"/><path d="M5 9h13l-4-4M19 15H6l4 4" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`;

await writePages();

// biome-ignore lint/style/noDefaultExport: VitePress reads its configuration from the default export.
export default defineConfig({
  title: 'acp-client-sdk',
  description: 'The client SDK for the Agent Client Protocol, in TypeScript',
  lang: 'en',
  srcDir: stage,
  outDir: 'dist',
  cacheDir: 'cache',
  cleanUrls: false,
  base,
  head: [['link', { rel: 'icon', href: mark }]],
  markdown: {
    anchor: { slugify },
    // The colors of the default themes have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: withoutEmptyHeaders,
    codeTransformers: [typeHovers(samples)],
  },
  buildEnd({ outDir }) {
    writeForModels(outDir);
    // A site with several versions has the list of all of them in its place.
    writeFileSync(join(outDir, 'versions.json'), JSON.stringify([{ version, link: base }]));
  },
  themeConfig: {
    logo: { src: mark, alt: '' },
    version,
    search: {
      provider: 'local',
      options: {
        _render: renderPlain,
        miniSearch: {
          searchOptions: {
            combineWith: 'OR',
            processTerm: withoutSmallWords,
            boostDocument: guidesFirst,
          },
        },
      },
    },
    sidebar,
    nav: [
      { text: 'Guide', link: '/getting-started' },
      { text: 'Reference', link: '/api/' },
      { text: 'Agents', link: '/agents' },
      { text: 'Recordings', link: '/recordings' },
      { text: 'Changes', link: '/changelog' },
    ],
    outline: { level: [2, 3] },
    notFound: {
      title: 'There is no such page',
      quote: 'It may have another address in this version. Ctrl K searches all pages.',
      linkText: 'Home',
      linkLabel: 'Home',
    },
    docFooter: { prev: false, next: false },
  },
});
