import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram, withoutWorkingDirectoryLookup } from '../../../src/node/program-path.ts';

let base = '';
let first = '';
let second = '';
const earlierDirectory = process.cwd();
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'acp-path-'));
  first = join(base, 'first');
  second = join(base, 'second tools');
  await Promise.all([mkdir(first), mkdir(second), mkdir(join(base, 'repository'))]);
  await mkdir(join(first, 'npx.CMD'));
  await writeFile(join(second, 'npx.CMD'), '');
  await writeFile(join(second, 'agent.EXE'), '');
  await writeFile(join(base, 'repository', 'npx.CMD'), '');
  await writeFile(join(base, 'repository', 'git.CMD'), '');
  process.chdir(join(base, 'repository'));
});
afterAll(async () => {
  process.chdir(earlierDirectory);
  await rm(base, { recursive: true });
});

const env = () => ({ Path: `.;;repository;"${first}";${second}/`, pathext: '.EXE;.CMD' });

test('a name is found in the folders of PATH, with an extension of PATHEXT', () => {
  expect(findProgram('npx', env())).toBe(`${second}/npx.CMD`);
  expect(findProgram('npx.CMD', env())).toBe(`${second}/npx.CMD`);
  expect(findProgram('agent', env())).toBe(`${second}/agent.EXE`);
});

test('a name is never found in the working directory', () => {
  expect(findProgram('git', env())).toBeUndefined();
  expect(findProgram('git.CMD', { PATH: '.;' })).toBeUndefined();
  expect(findProgram('git', {})).toBeUndefined();
});

test('a path is used as it is', () => {
  expect(findProgram('.\\tool.cmd', {})).toBe('.\\tool.cmd');
  expect(findProgram('C:/tools/agent.exe', {})).toBe('C:/tools/agent.exe');
});

test('programs are told not to look for names in the working directory', () => {
  expect(withoutWorkingDirectoryLookup({ A: 'b' })).toEqual({
    NoDefaultCurrentDirectoryInExePath: '1',
    A: 'b',
  });
});
