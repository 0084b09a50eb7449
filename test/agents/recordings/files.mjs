import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const folder = import.meta.dirname;
const ending = '.ndjson.br';

/** Where a run keeps the recordings of its steps. */
export const recordingsFile = (reportFile) => reportFile.replace(/\.json$/, '.recordings.json');

/** What a run kept: the text of each step, by run. Nothing if there was none. */
export async function readKept(reportFile) {
  try {
    return JSON.parse(await readFile(recordingsFile(reportFile), 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return {};
  }
}

/** The name of the run of a column of the page: `codex-v1` for `codex v1`, `qwen-http` for `qwen, HTTP`. */
export const recordingName = (column) => column.toLowerCase().replace(/,? /, '-');

/** The steps of each run, with the texts of their recordings, by the name of the run. */
export function readRecordings() {
  const runs = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(ending))) {
    const text = brotliDecompressSync(readFileSync(join(folder, file))).toString();
    for (const part of text.split(/^(?=\{"run":)/m)) {
      const begin = part.indexOf('\n') + 1;
      const { run, ...step } = JSON.parse(part.slice(0, begin));
      runs.set(run, [...(runs.get(run) ?? []), { ...step, text: part.slice(begin) }]);
    }
  }
  return runs;
}

/**
 * Writes a file for each agent: the recordings one after the other, each after a line that names its run and step.
 *
 * @param agents - By the name of the agent: the steps of each run, by the name of the run.
 */
export function writeRecordings(agents) {
  for (const [agent, runs] of Object.entries(agents)) {
    const text = Object.entries(runs)
      .flatMap(([run, steps]) =>
        steps.map(({ text, ...step }) => `${JSON.stringify({ run, ...step })}\n${text}`),
      )
      .join('');
    // Steps and runs repeat what came long before them, such as the messages that open the run.
    const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
    writeFileSync(join(folder, agent + ending), brotliCompressSync(text, { params }));
  }
}
