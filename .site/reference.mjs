// The pages of the reference. An entry has one page for what a program calls and one for its types, each with the list of
// its names at the top. In `docs` both are one page.
import { posix } from 'node:path';
import { contents, linkOf } from './contents.mjs';

/** The sections of the page with the types. The others are on the page of the entry. */
const typeSections = new Set(['Interfaces', 'Types', 'Parts']);

/** The parts of a page of the reference, each with its title, and its names with their text. */
function sectionsOf(page) {
  const [head = '', ...sections] = page.split(/^(?=## )/m);
  const [title = ''] = /(?<=^# ).*/m.exec(head) ?? [];
  return {
    title,
    introduction: head.slice(head.indexOf(title) + title.length).trim(),
    sections: sections.map((section) => {
      const [first = '', ...entries] = section.split(/^(?=### )/m);
      const [name = '', ...text] = first.slice(3).split('\n');
      return {
        name: name.trim(),
        text: text.join('\n').trim(),
        entries: entries.map((text) => ({ name: text.slice(4, text.indexOf('\n')).trim(), text })),
      };
    }),
  };
}

const anchorOf = (name) => name.toLowerCase();

/** The first sentence about a name. */
const sentenceOf = (text) => /```\n\n([^`*#][\s\S]*?\.)(?=\s)/.exec(text)?.[1].replace(/\s+/g, ' ') ?? '';

/** The names of sections, as lists of links, each with what `says` returns. */
function list(sections, address = '', says = () => '') {
  const rows = sections.map(({ name, entries }) => {
    const links = entries.map(({ name, text }) =>
      `* [\`${name}\`](${address}#${anchorOf(name)}) ${says(text)}`.trimEnd(),
    );
    return `**${name}**\n\n${links.join('\n')}`;
  });
  return `<div class="names">\n\n${rows.join('\n\n')}\n\n</div>`;
}

const body = (sections) =>
  sections
    .map(
      ({ name, text, entries }) => `## ${name}\n\n${text}\n\n${entries.map((entry) => entry.text).join('')}`,
    )
    .join('\n');

/** Where the types of an entry are. `path` is that of its page in the site. */
export const typesPath = (path) => path.replace(/\.md$/, '-types.md');

/** The pages of an entry, by their path in the site. A link to a name leads to the page that has it. */
export function referencePages(path, page) {
  const { title, introduction, sections } = sectionsOf(page);
  const values = sections.filter(({ name }) => !typeSections.has(name));
  const types = sections.filter(({ name }) => typeSections.has(name));
  const front = '---\noutline: false\n---\n\n';
  const other = posix.basename(types.length > 0 ? typesPath(path) : path);
  const toTypes =
    types.length > 0 ? `The types that these take and return have [a page of their own](${other}).\n\n` : '';
  const pages = [
    [path, `${front}# ${title}\n\n${introduction}\n\n${toTypes}${list(values)}\n\n${body(values)}`],
  ];
  if (types.length === 0) return pages;
  const back = `The types of [\`${title}\`](${posix.basename(path)}).`;
  pages.push([typesPath(path), `${front}# Types of ${title}\n\n${back}\n\n${list(types)}\n\n${body(types)}`]);
  return pages;
}

/** The addresses of names that are on a page of types: `/api/node#spawnoptions` and so on. */
export function typeAnchors(path, page) {
  const { sections } = sectionsOf(page);
  const types = sections.filter(({ name }) => typeSections.has(name));
  const from = linkOf(path);
  return types.flatMap(({ entries }) =>
    entries.map(({ name }) => [`${from}#${anchorOf(name)}`, `${from}-types#${anchorOf(name)}`]),
  );
}

/** The first page of the reference: the entries with what a program can call. */
export function referenceHome(pages) {
  const section = contents.find(({ pages }) => pages.some(({ path }) => path.startsWith('api/')));
  const parts = section.pages.map(({ title, path }) => {
    const { sections } = sectionsOf(pages.get(path) ?? '');
    const values = sections.filter(({ name }) => !typeSections.has(name));
    return `## ${title}\n\n[\`${title}\`](${linkOf(path)}), and [its types](${linkOf(path)}-types)\n\n<div class="said">\n\n${list(values, linkOf(path), sentenceOf)}\n\n</div>`;
  });
  return `---\noutline: 2\n---\n\n# Reference\n\nEvery public name, by the entry that exports it.\n\n${parts.join('\n\n')}\n`;
}
