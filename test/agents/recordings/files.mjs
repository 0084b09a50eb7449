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

/** The name of the file for a column of the page: `codex-v1` for `codex v1`, `qwen-http` for `qwen, HTTP`. */
export const recordingName = (column) => column.toLowerCase().replace(/,? /, '-');

/** The names of the files in the repository. */
export const recordingNames = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length));

/** The steps of a file, each with the text of its recording. */
export function readRecordings(name) {
  const text = brotliDecompressSync(readFileSync(join(folder, name + ending))).toString();
  return text.split(/^(?=\{"step":)/m).map((part) => {
    const begin = part.indexOf('\n') + 1;
    const { step, title } = JSON.parse(part.slice(0, begin));
    return { step, title, text: part.slice(begin) };
  });
}

/**
 * Writes a file for each agent and version: the recordings one after the other, each after a line that marks its step.
 *
 * @param recordings - Steps with their texts, by the name of the file.
 */
export function writeRecordings(recordings) {
  for (const [name, steps] of Object.entries(recordings)) {
    const text = steps.map(({ step, title, text }) => `${JSON.stringify({ step, title })}\n${text}`).join('');
    // Steps repeat what came long before them, such as the messages that open the run.
    const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
    writeFileSync(join(folder, name + ending), brotliCompressSync(text, { params }));
  }
}
