import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { redact } from '../../../dist/index.js';
import { cacheFolder } from '../install.mjs';

const project = resolve(import.meta.dirname, '../../..');

/** The length of a text in `_meta`, in characters. Agents put whole documents there. */
const maxMetaTextLength = 200;

/**
 * Recordings that can be shown to everyone: without secrets, without the paths of this machine, and with
 * short texts in `_meta`.
 *
 * @param recordings - By run and step: `{ '1': { text: '{"dir":…' } }`.
 * @param mark - The folder of the run.
 */
export function published(recordings, mark) {
  const names = [
    [`${mark}/project`, '/home/user/project'],
    [`${mark}/home`, '/home/user'],
    [mark, '/home/user/run'],
    // In the names of files that an agent makes from a path.
    [basename(mark), 'run'],
    // What is left of it in a title that an agent cuts.
    [join(tmpdir(), 'acp-agents-'), '/home/user/run-'],
    [cacheFolder, '/opt/agents'],
    [project, '/opt/acp-client-sdk'],
  ];
  const publish = (text) => {
    const lines = text.split('\n').map((line) => (line === '' ? '' : publishedLine(line)));
    return names.reduce((all, [name, shown]) => all.replaceAll(name, shown), lines.join('\n'));
  };
  return mapSteps(recordings, publish);
}

function publishedLine(line) {
  const { msg, ...record } = JSON.parse(line);
  return JSON.stringify({ ...record, msg: withShortMeta(redact(msg)) });
}

function withShortMeta(value, isMeta = false) {
  if (typeof value === 'string')
    return isMeta && value.length > maxMetaTextLength ? `${value.slice(0, maxMetaTextLength)}…` : value;
  if (Array.isArray(value)) return value.map((item) => withShortMeta(item, isMeta));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withShortMeta(item, isMeta || key === '_meta')]),
  );
}

function mapSteps(recordings, change) {
  const runs = Object.entries(recordings).map(([run, steps]) => [
    run,
    Object.fromEntries(Object.entries(steps).map(([id, text]) => [id, change(text)])),
  ]);
  return Object.fromEntries(runs);
}
