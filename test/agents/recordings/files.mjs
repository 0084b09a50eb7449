import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The folder of the recordings to which the page has links. */
export const recordingsFolder = resolve(import.meta.dirname, '../../../docs/recordings');

/** Where a run keeps the recordings of its steps. */
export const recordingsFile = (reportFile) => reportFile.replace(/\.json$/, '.recordings.json');

/**
 * The recordings that runs of an agent kept, for its page.
 *
 * @param name - The agent's name.
 * @param reportFiles - The files of its reports.
 * @returns `files`: the text of each file, by its path in the folder of recordings. `links`: the path for each step, by
 *   run. Steps with the same recording share a file.
 */
export async function keptRecordings(name, reportFiles) {
  const kept = await Promise.all(reportFiles.map((file) => readKept(recordingsFile(file))));
  const files = new Map();
  const links = {};
  for (const [run, steps] of kept.flatMap(Object.entries)) {
    const folder = `${name}-${/^\d+$/.test(run) ? `v${run}` : run.toLowerCase()}`;
    links[run] ??= {};
    for (const [id, text] of Object.entries(steps)) {
      const known = [...files].find(([path, other]) => other === text && path.startsWith(`${folder}/`));
      const path = known?.[0] ?? `${folder}/${id}.ndjson`;
      files.set(path, text);
      links[run][id] = path;
    }
  }
  return { files, links };
}

/** Writes recordings in place of those that are there. */
export async function writeRecordings(all) {
  await rm(recordingsFolder, { recursive: true, force: true });
  for (const [path, text] of all.flatMap(({ files }) => [...files])) {
    const file = join(recordingsFolder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** What a run kept. Nothing if there was none. */
async function readKept(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return {};
  }
}

/** A cell of a table that leads to a recording, if there is one. */
export function linked(text, path) {
  return path === undefined || text === '' ? text : `[${text}](recordings/${path})`;
}
