import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { windowsGroups } from '../../../src/node/process-group.ts';
import { markIn, markName } from '../../../src/node/process-mark.ts';
import { groupsOf, parsePs, processTable, processTableSync } from '../../../src/node/process-table.ts';

const table = [
  { pid: 10, parent: 1, group: 10 },
  { pid: 11, parent: 10, group: 10 },
  { pid: 12, parent: 11, group: 12 },
  { pid: 13, parent: 12, group: 13 },
  { pid: 20, parent: 1, group: 20 },
];

test('the groups of a program are those of all its descendants', () => {
  expect([...groupsOf({ pid: 10 }, table)].sort()).toEqual([10, 12, 13]);
  expect([...groupsOf({ pid: 20 }, table)]).toEqual([20]);
  expect([...groupsOf({ pid: 99 }, table)]).toEqual([99]);
});

test('a process that stayed in the session is found after its parent has exited', () => {
  const entries = [
    { pid: 10, parent: 1, group: 10, session: 10 },
    { pid: 14, parent: 1, group: 14, session: 10 },
    { pid: 15, parent: 14, group: 15, session: 15 },
    { pid: 16, parent: 1, group: 16, session: 16 },
  ];
  expect([...groupsOf({ pid: 10 }, entries)].sort()).toEqual([10, 14, 15]);
});

test('a process with the mark is found after it left the session and its parent has exited, with its children', () => {
  const entries = [
    { pid: 10, parent: 1, group: 10, session: 10, mark: 'a' },
    { pid: 14, parent: 1, group: 14, session: 14, mark: 'a' },
    { pid: 15, parent: 14, group: 15, session: 15 },
    { pid: 16, parent: 1, group: 16, session: 16, mark: 'ab' },
    { pid: 17, parent: 1, group: 17, session: 17 },
  ];
  expect([...groupsOf({ pid: 10, mark: 'a' }, entries)].sort()).toEqual([10, 14, 15]);
  expect([...groupsOf({ pid: 10 }, entries)]).toEqual([10]);
});

test('the mark is the whole value of the whole name of a variable', () => {
  expect(markIn(`PATH=/bin\0${markName}=a=b\0`)).toBe('a=b');
  expect(markIn(`X${markName}=a\0X=${markName}=a\0`)).toBeUndefined();
  expect(markIn('')).toBeUndefined();
});

test('the group of this process is never among them', () => {
  const entries = [...table, { pid: process.pid, parent: 13, group: 13 }];
  expect([...groupsOf({ pid: 10 }, entries)].sort()).toEqual([10, 12]);
});

test('the output of ps is read, without zombies and header lines', () => {
  expect(parsePs('    1     0     0 Ss\n  812     1   812 S+\n  900   812   812 Z\n\n')).toEqual([
    { pid: 1, parent: 0, group: 0 },
    { pid: 812, parent: 1, group: 812 },
  ]);
});

test.skipIf(process.platform !== 'linux')(
  'few files are open while many programs look for processes',
  async () => {
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    const before = await openFiles();
    let reading = true;
    const tables = Promise.all(Array.from({ length: 100 }, processTable)).finally(() => {
      reading = false;
    });
    let most = 0;
    while (reading) most = Math.max(most, await openFiles());
    expect(most - before).toBeLessThan(20);
    for (const entries of await tables) expect(entries.some(({ pid }) => pid === process.pid)).toBe(true);
  },
);

test.skipIf(process.platform === 'win32')(
  'a call during a read sees what was started before it',
  async () => {
    const early = processTable();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const late = await Promise.all([processTable(), processTable()]);
    for (const entries of late) expect(entries.some(({ pid }) => pid === child.pid)).toBe(true);
    await early;
    child.kill('SIGKILL');
    await once(child, 'exit');
  },
);

test.skipIf(process.platform === 'win32')('the table contains this process', async () => {
  for (const entries of [await processTable(), processTableSync()]) {
    expect(entries.find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
  }
});

test('where taskkill fails, the program is killed without it', async () => {
  const { SystemRoot } = process.env;
  process.env['SystemRoot'] = '/no/such/system';
  try {
    for (const kill of [
      (pid: number) => windowsGroups.signal(pid, 'SIGTERM'),
      (pid: number) => windowsGroups.killNow([{ pid }]),
    ]) {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      const exit = once(child, 'exit');
      kill(child.pid!);
      expect(await exit).toEqual([null, 'SIGKILL']);
    }
  } finally {
    if (SystemRoot === undefined) delete process.env['SystemRoot'];
    else process.env['SystemRoot'] = SystemRoot;
  }
});
