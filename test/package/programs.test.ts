import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { folderOf } from './imports.ts';
import { privateNames } from './private-names.ts';
import { namesOf, publicNames } from './public-declarations.ts';

const files = readdirSync(new URL('../../src/', import.meta.url), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path));

// The demo agent is the other end of a connection: a client of the library does not have what it needs.
const programs = ['programs/cli', 'programs/inspector'];

test('programs import public names and what renders, and of others no more than those in the list', () => {
  const used = files
    .filter((file) => programs.includes(folderOf(file)))
    .flatMap(namesOf)
    .filter((name) => {
      const room = folderOf(name);
      return (
        !name.startsWith('..') && room !== 'core/render' && !programs.includes(room) && !publicNames.has(name)
      );
    });
  expect([...new Set(used)].sort()).toEqual(privateNames);
});
