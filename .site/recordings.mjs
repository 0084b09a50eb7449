// The recordings of the repository, as timelines that the page of the inspector shows.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readTimeline } from '../src/programs/inspector/timeline/read.ts';
import { stepsFile } from '../src/programs/inspector/timeline/steps-file.ts';
import { readRecordings, recordingName } from '../test/agents/recordings/files.mjs';
import { root } from './contents.mjs';

const trafficFolder = join(root, 'test/fixtures/traffic');

/** The recordings of the tests, as the steps of one file. */
const traffic = readdirSync(trafficFolder)
  .map((file) => basename(file, '.ndjson'))
  .map((step) => ({
    step,
    title: step,
    text: readFileSync(join(trafficFolder, `${step}.ndjson`), 'utf8'),
  }));

/** All recordings, by the name of the file that the site has. */
const recordings = new Map([...readRecordings(), ['traffic', traffic]]);

/** The address of a recording in the viewer, for a page at the top of the site. */
export const viewerLink = (name, step) => `viewer.html#recording=recordings/${name}.json.gz&step=${step}`;

/** A link to a recording. The viewer is no page of the site, to which its router would go. */
const linked = (text, name, step) => `[${text}](${viewerLink(name, step)}){target="_self"}`;

/** Adds the results to the page about agents. Each cell about a step is a link to the recording of that step. */
export function withRecordings(page) {
  const results = readFileSync(join(root, 'test/agents/results.md'), 'utf8');
  let columns = [];
  return `${page}\n#${results.replaceAll(/^\|.*\|$/gm, (row, offset) => {
    const [title, ...cells] = row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (results.startsWith('\n| ---', offset + row.length)) columns = cells.map(recordingName);
    const links = cells.map((cell, index) => {
      const found = recordings.get(columns[index])?.find((step) => step.title === title);
      return found && cell !== '' ? linked(cell, columns[index], found.step) : cell;
    });
    return `| ${[title, ...links].join(' | ')} |`;
  })}`;
}

/** Writes the viewer and the timelines. Resolves to the rows of the page of the recordings. */
export async function writeViewer(folder) {
  mkdirSync(join(folder, 'recordings'), { recursive: true });
  copyFileSync(join(root, 'dist/inspector.html'), join(folder, 'viewer.html'));
  const rows = [];
  for (const [name, steps] of recordings) {
    const timelines = {};
    // The recordings of the tests have rows in the page of the recordings.
    const isListed = name === 'traffic';
    for (const { step, title, text } of steps) {
      const lines = await readTimeline(text);
      const items = lines.flatMap(({ item }) => item ?? []);
      timelines[step] = { format: 1, title: isListed ? title : `${name}: ${title}`, lines };
      if (isListed) rows.push(rowOf(name, { step, title }, items));
    }
    const file = join(folder, 'recordings', `${name}.json.gz`);
    writeFileSync(file, gzipSync(JSON.stringify(stepsFile(timelines)), { level: 9 }));
  }
  return rows.join('\n');
}

function rowOf(name, { step, title }, items) {
  const found = items.find(({ type }) => type === 'connection');
  const agent = found?.agent ? `${found.agent.title ?? found.agent.name} ${found.agent.version ?? ''}` : '';
  const messages = items.filter(({ type }) => type === 'message').length;
  return `| ${linked(title, name, step)} | ${agent} | ${found?.dialect ?? ''} | ${messages} |`;
}
