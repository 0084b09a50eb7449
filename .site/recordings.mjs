// The recordings of the repository, as timelines that the page of the inspector shows.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { readTimeline } from '../src/inspector/timeline/read.ts';
import { root } from './paths.mjs';

/** Folders with recordings, and where the site has their timelines. */
const folders = { 'docs/recordings': 'recordings', 'test/fixtures/traffic': 'recordings/traffic' };

/** The recordings of a folder, as paths in the repository. */
function recordingsIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .sort();
}

/** Where the site has the timeline of a recording. `undefined` if the path is of another file. */
function timelinePath(path) {
  const folder = Object.keys(folders).find((name) => path.startsWith(`${name}/`));
  if (folder === undefined || !path.endsWith('.ndjson')) return undefined;
  return folders[folder] + path.slice(folder.length).replace(/ndjson$/, 'json');
}

/** The address of a recording in the viewer, for a page. `undefined` if the path is of another file. */
export function viewerLink(path, page) {
  const timeline = timelinePath(path);
  if (timeline === undefined) return undefined;
  return `${posix.relative(posix.dirname(page), 'viewer.html')}#recording=${timeline}`;
}

/** Writes the viewer and the timelines. Resolves to a row for each recording of the tests. */
export async function writeViewer(folder) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'dist/inspector.html'), join(folder, 'viewer.html'));
  const rows = [];
  for (const path of Object.keys(folders).flatMap(recordingsIn)) {
    const items = await readTimeline(readFileSync(join(root, path), 'utf8'));
    const title = path.startsWith('docs/')
      ? `${basename(dirname(path))}: ${basename(path, '.ndjson')}`
      : basename(path, '.ndjson');
    const file = join(folder, timelinePath(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ format: 1, title, items }));
    if (path.startsWith('test/')) rows.push(rowOf(path, title, items));
  }
  return rows.join('\n');
}

function rowOf(path, title, items) {
  const found = items.find(({ type }) => type === 'connection');
  const agent = found?.agent ? `${found.agent.title ?? found.agent.name} ${found.agent.version ?? ''}` : '';
  const messages = items.filter(({ type }) => type === 'message').length;
  const link = viewerLink(path, 'recordings.md');
  return `| [${title}](${link}){target="_self"} | ${agent} | ${found?.dialect ?? ''} | ${messages} |`;
}
