import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram, withoutWorkingDirectoryLookup } from '../../../src/node/process/program-path.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';

const base = sharedFolder();
const first = join(base, 'first');
const second = join(base, 'second tools');
const repository = join(base, 'repository');
const earlierDirectory = process.cwd();
beforeAll(async () => {
  await Promise.all([mkdir(first), mkdir(second), mkdir(repository)]);
  await mkdir(join(first, 'npx.CMD'));
  await writeFile(join(second, 'npx.CMD'), '');
  await writeFile(join(second, 'agent.EXE'), '');
  await writeFile(join(repository, 'npx.CMD'), '');
  await writeFile(join(repository, 'git.CMD'), '');
  process.chdir(repository);
});
afterAll(() => process.chdir(earlierDirectory));

const env = () => ({ Path: `.;;repository;"${first}";${second}/`, pathext: '.EXE;.CMD' });

test('a name is found in the folders of PATH, with an extension of PATHEXT', () => {
  expect(findProgram('npx', env(), base)).toBe(`${second}/npx.CMD`);
  expect(findProgram('npx.CMD', env(), base)).toBe(`${second}/npx.CMD`);
  expect(findProgram('agent', env(), base)).toBe(`${second}/agent.EXE`);
});

test('[security: program-names] a name is never found in the working directory', () => {
  expect(findProgram('git', env(), repository)).toBeUndefined();
  expect(findProgram('git.CMD', { PATH: '.;' }, repository)).toBeUndefined();
  expect(findProgram('git', {}, repository)).toBeUndefined();
});

test('a path is resolved from the working directory of the program, with or without its extension', () => {
  const path = join(repository, 'npx.CMD');
  for (const command of [path, join(repository, 'npx'), './npx.CMD', './npx'])
    expect(findProgram(command, { PATHEXT: '.EXE;.CMD' }, repository), command).toBe(path);
});

test('a path without an extension names a batch file before a script for another shell', async () => {
  await writeFile(join(base, 'tool'), '#!/bin/sh\n');
  expect(findProgram('./tool', env(), base)).toBe(join(base, 'tool'));
  await writeFile(join(base, 'tool.CMD'), '');
  expect(findProgram('./tool', env(), base)).toBe(join(base, 'tool.CMD'));
});

test('a path to nothing or to a folder is no program', () => {
  for (const command of [join(base, 'none.EXE'), './none', first, join(first, 'npx')])
    expect(findProgram(command, env(), base), command).toBeUndefined();
});

test('[security: program-names] programs get the setting not to look for names in the working directory', () => {
  expect(withoutWorkingDirectoryLookup({ A: 'b' })).toEqual({
    NoDefaultCurrentDirectoryInExePath: '1',
    A: 'b',
  });
});
