// Writes the pages of the site: those of `docs`, with what a site can show and a page of Markdown cannot.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { linkOf, pageOf, root } from './contents.mjs';
import { viewerLink, withRecordings, writeViewer } from './recordings.mjs';
import { referenceHome, referencePages, typeAnchors } from './reference.mjs';
import { withExamples, withSamples } from './samples.mjs';

/** Where the pages are written from which the site is built. */
export const stage = join(import.meta.dirname, 'pages');

/** The languages of the files that a page shows as code. */
const languages = {
  '.css': 'css',
  '.html': 'html',
  '.js': 'js',
  '.json': 'json',
  '.mjs': 'js',
  '.svelte': 'svelte',
  '.ts': 'ts',
  '.tsx': 'tsx',
};

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => posix.join(entry.parentPath.slice(root.length + 1), entry.name))
    .sort();

const read = (path) => readFileSync(join(root, path), 'utf8');

/** Writes a file of the stage. Its path is that of the page in `docs`. */
function write(path, content) {
  const file = join(stage, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A page that shows a file as code. `path` is the file's in the repository. */
function codePage(path) {
  const fence = '`'.repeat(4);
  return `# ${posix.basename(path)}\n\n\`${path}\`\n\n${fence}${languages[extname(path)]}\n${read(path).trimEnd()}\n${fence}\n`;
}

/** Where the site has a file of the repository that is no page. */
const codeLink = (path) => `/source/${posix.dirname(path)}/${posix.basename(path).replaceAll('.', '-')}`;

/** The files that pages link to, and that are no pages. */
const shown = new Set();

/** The pages of the reference, by their path in `docs`. */
const reference = new Map(filesIn('docs/api').map((path) => [path.slice('docs/'.length), read(path)]));

/** Where names are that the site has on another page. */
const moved = new Map([...reference].flatMap(([path, page]) => typeAnchors(path, page)));

/** Changes the links to files of the repository to links to the pages that show them. */
function withCodeLinks(text, path) {
  return text.replaceAll(/\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g, (whole, link, hash = '') => {
    const target = posix.join(posix.dirname(path), link);
    if (target === 'README.md') return `](/introduction${hash})`;
    if (target === 'CHANGELOG.md') return `](/changelog${hash})`;
    if (/^docs\/.*\.md$/.test(target)) {
      const address = `${linkOf(target.slice('docs/'.length))}${hash}`;
      return `](${moved.get(address) ?? address})`;
    }
    if (!(extname(target) in languages)) return whole;
    shown.add(target);
    return `](${codeLink(target)})`;
  });
}

/** The place of a picture becomes the picture, in the colors of the page. */
const withPictures = (text) =>
  text.replaceAll(/<!-- picture: ([\w-]+): (.*?) -->/g, (_whole, name, description) =>
    ['light', 'dark']
      .map((colors) => `![${description}](/images/${name}-${colors}.png){.picture .in-${colors}}`)
      .join('\n'),
  );

/** A program in TypeScript and, below it, in JavaScript: tabs on the site. */
const withTabs = (text) =>
  text.replaceAll(
    /^```ts( sample-\d+)\n([\s\S]*?^```)\n\n<details>\n<summary>JavaScript.*\n\n<!-- file: \S+ -->\n```js\n([\s\S]*?^```)\n\n<\/details>$/gm,
    (_whole, sample, typed, plain) =>
      `::: code-group\n\n\`\`\`ts${sample} [TypeScript]\n${typed}\n\n\`\`\`js [JavaScript]\n${plain}\n\n:::`,
  );

/** The files of an example, as a list of links. */
function fileList(folder) {
  const files = filesIn(folder).filter(
    (path) => extname(path) in languages && !/lock|README|\/\./.test(path),
  );
  for (const path of files) shown.add(path);
  const rows = files.map((path) => `* [${path.slice(folder.length + 1)}](${codeLink(path)})`);
  return `\n\n## Files\n\n${rows.join('\n')}\n`;
}

/** The page about agents has no list of headings beside it, so that its table is wider. */
const besideNothing = '---\naside: false\npageClass: agents\n---\n\n';

/** Writes all pages. */
export async function writePages() {
  rmSync(stage, { recursive: true, force: true });
  for (const path of filesIn('docs')) {
    if (!path.endsWith('.md')) continue;
    // The highlighter has no language for the configuration of HAProxy.
    const plain = withCodeLinks(read(path), path).replaceAll('```haproxy', '```ini');
    const linked = path === 'docs/agent-results.md' ? withRecordings(plain) : plain;
    if (path.startsWith('docs/api/')) {
      const pages = referencePages(pageOf(path.slice('docs/'.length)), withExamples(linked));
      for (const [page, text] of pages) write(page, text);
      continue;
    }
    const text = withTabs(withSamples(withPictures(linked)));
    const files = /^docs\/examples\/[^/]+\/README\.md$/.test(path) ? fileList(posix.dirname(path)) : '';
    const head = path === 'docs/agents.md' ? besideNothing : '';
    write(pageOf(path.slice('docs/'.length)), head + text + files);
  }
  const introduction = withCodeLinks(read('README.md'), 'README.md');
  const picture = '](/transcript.svg)';
  const text = introduction
    .replaceAll('](docs/transcript.svg)', picture)
    .replaceAll('](.site/images/', '](/images/');
  write('introduction.md', withSamples(text));
  // What is written for the version of the menu has its number.
  const { version } = JSON.parse(read('package.json'));
  const changes = read('CHANGELOG.md');
  const isReleased = changes.includes(`\n## ${version}`);
  const named = isReleased
    ? changes
    : changes.replace('\n## Unreleased', `\n## ${version}, not released yet`);
  write('changelog.md', withCodeLinks(named, 'CHANGELOG.md'));
  const home = readFileSync(join(import.meta.dirname, 'home.md'), 'utf8');
  write('index.md', withSamples(withPictures(home)));
  write('api/index.md', referenceHome(reference));
  for (const path of shown) write(`${codeLink(path).slice(1)}.md`, codePage(path));
  cpSync(join(import.meta.dirname, 'images'), join(stage, 'public/images'), { recursive: true });
  const rows = await writeViewer(join(stage, 'public'));
  const first = viewerLink('traffic', 'codex-2.6.0.v2');
  const recordings = readFileSync(join(import.meta.dirname, 'recordings.md'), 'utf8');
  write('recordings.md', recordings.replace('VIEWER', first).replace('ROWS', rows));
  cpSync(join(root, 'docs/transcript.svg'), join(stage, 'public/transcript.svg'));
}
