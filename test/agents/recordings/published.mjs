import { hostname } from 'node:os';
import { basename, resolve } from 'node:path';
import { cacheFolder } from '../install.mjs';

const project = resolve(import.meta.dirname, '../../..');

/**
 * Recordings without the paths and the name of this machine.
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
    [cacheFolder, '/opt/agents'],
    [project, '/opt/acp-client-sdk'],
    [hostname(), 'host'],
  ];
  const publish = (text) => names.reduce((all, [name, shown]) => all.replaceAll(name, shown), text);
  return mapSteps(recordings, publish);
}

function mapSteps(recordings, change) {
  const runs = Object.entries(recordings).map(([run, steps]) => [
    run,
    Object.fromEntries(Object.entries(steps).map(([id, text]) => [id, change(text)])),
  ]);
  return Object.fromEntries(runs);
}
