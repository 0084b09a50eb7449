import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastLines } from '../../../src/core/base/printable.ts';
import { taskkill } from '../../../src/node/process/process-group.ts';
import { Slots } from '../../../src/node/process/slots.ts';
import { batchCommand, isBatchFile } from '../../../src/node/process/start-program.ts';
import { TextTail } from '../../../src/node/process/text-tail.ts';
import { windowsPathError } from '../../../src/node/process/windows-path.ts';
import { settle } from '../../support/agents.ts';

const run = (...args: string[]) => batchCommand('C:/npm/npx.cmd', args, { SystemRoot: 'D:\\WINNT' });

test('a batch file is run by the shell of the system directory, without AutoRun and delayed expansion', () => {
  expect(run('-y', 'an agent')).toEqual({
    command: 'D:\\WINNT\\System32\\cmd.exe',
    args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', '""C:\\npm\\npx.cmd" "-y" "an agent""'],
  });
  expect(batchCommand('a.cmd', [], {})?.command).toBe('C:\\Windows\\System32\\cmd.exe');
});

test.each([
  ['a & b', '"a & b"'],
  ['" & calc & "', '""" & calc & """'],
  ['a\\"b', '"a\\\\""b"'],
  ['a\\\\', '"a\\\\\\\\"'],
  ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
  ['', '""'],
])('[security: batch-arguments] the argument %j is quoted as %s', (arg, quoted) => {
  expect(run(arg)?.args.at(-1)).toBe(`""C:\\npm\\npx.cmd" ${quoted}"`);
});

test.each(['a\nb', 'a\rb', 'a\0b'])('[security: batch-arguments] the argument %j cannot be passed', (arg) => {
  expect(run(arg)).toBeUndefined();
});

test('batch files are known by their extension', () => {
  expect(['a.cmd', 'A.BAT', 'a.cmd.exe', 'cmd'].map(isBatchFile)).toEqual([true, true, false, false]);
});

test('a process tree on Windows is ended with taskkill from the system directory', () => {
  expect(taskkill([42, 7], { SystemRoot: 'D:\\WINNT' })).toEqual({
    command: 'D:\\WINNT\\System32\\taskkill.exe',
    args: ['/pid', '42', '/pid', '7', '/T', '/F'],
  });
  expect(taskkill([42], {}).command).toBe('C:\\Windows\\System32\\taskkill.exe');
});

test('[reliability: limit-reads] as many tasks run as there are slots, in the order of their calls, and a task that fails frees its slot', async () => {
  const slots = new Slots(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const task = (n: number) =>
    slots.run(undefined, async () => {
      started.push(n);
      await new Promise<void>((resolve, reject) => ends.push(n === 0 ? reject : resolve));
      return n;
    });
  const first = task(0).catch(() => 'failed');
  const others = [1, 2, 3].map(task);
  await settle();
  expect(started).toEqual([0, 1]);
  ends[0]?.();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  for (let n = 1; n < 4; n++) {
    ends[n]?.();
    await settle();
  }
  expect([await first, ...(await Promise.all(others))]).toEqual(['failed', 1, 2, 3]);
});

test('a task that is withdrawn while it waits rejects at once and does not run', async () => {
  const slots = new Slots(1);
  let end = () => {};
  const first = slots.run(undefined, () => new Promise<void>((resolve) => (end = resolve)));
  const control = new AbortController();
  let hasRun = false;
  const second = slots.run(control.signal, async () => {
    hasRun = true;
  });
  const third = slots.run(undefined, async () => 'third');
  control.abort();
  await expect(second).rejects.toMatchObject({ code: -32800 });
  end();
  await first;
  expect(await third).toBe('third');
  expect(hasRun).toBe(false);
});

test('a task that waited leaves no listener on its signal', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  let end = () => {};
  const first = slots.run(undefined, () => new Promise<void>((resolve) => (end = resolve)));
  const second = slots.run(signal, async () => getEventListeners(signal, 'abort').length);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  end();
  await first;
  expect(await second).toBe(0);
});

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 30 });

/** The longest end of `text` that has at most `limitBytes` and begins with a whole character. */
function longestEnd(text: string, limitBytes: number): string {
  const characters = [...text];
  while (Buffer.byteLength(characters.join('')) > limitBytes) characters.shift();
  return characters.join('');
}

test('it keeps the longest end of the pushed text that fits, in whole characters', () => {
  fc.assert(
    fc.property(texts, fc.nat(100), (pieces, limitBytes) => {
      const tail = new TextTail(limitBytes);
      for (const piece of pieces) tail.push(piece);
      const whole = pieces.join('');
      expect(tail.text()).toBe(longestEnd(whole, limitBytes));
      expect(tail.truncated).toBe(Buffer.byteLength(whole) > limitBytes);
    }),
  );
});

test('a limit of 0 keeps nothing', () => {
  const tail = new TextTail(0);
  tail.push('');
  expect(tail.truncated).toBe(false);
  tail.push('text');
  expect([tail.text(), tail.truncated]).toEqual(['', true]);
});

test('it keeps the end that fits when its memory cannot grow any more', () => {
  const tail = new TextTail(100, (_from, to) => Math.min(to, 8));
  tail.push('abcd');
  tail.push('efgh');
  expect([tail.text(), tail.truncated]).toEqual(['abcdefgh', false]);
  tail.push('ij');
  expect([tail.text(), tail.truncated]).toEqual(['cdefghij', true]);
  expect(tail.discard()).toBe(8);
  tail.push('k');
  expect(tail.text()).toBe('');
});

test('it keeps what fits of one text that is longer than its memory may become', () => {
  const tail = new TextTail(100, (_from, to) => Math.min(to, 4));
  tail.push('abcdefgh');
  expect([tail.text(), tail.truncated]).toEqual(['efgh', true]);
});

test('the last lines contain no colors, no overwritten text and no blank lines', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  expect(lastLines(lines.join('\n'))).toBe(lines.slice(-10).join('\n'));
  expect(lastLines('10%\r20%\r\x1b[1m30%\x1b[0m\r\n\n\x07done\u0000\n')).toBe('30%\ndone');
  expect(lastLines('\x1b]0;title\x07 \n')).toBe('');
  expect(lastLines('x'.repeat(5000))).toHaveLength(2001);
  const frames = Array.from({ length: 12 }, (_, index) => `    at f${index} (file.js:${index}:1)`);
  expect(lastLines(['Error: no key', ...frames, '', 'Node.js v20.0.0'].join('\n'))).toBe(
    'Error: no key\n    at f0 (file.js:0:1)\nNode.js v20.0.0',
  );
});

test('its memory can grow again after it was full', () => {
  const sizes = [4, 4, 10];
  const tail = new TextTail(100, (_from, to) => Math.min(to, sizes.shift() ?? 100));
  tail.push('abcd');
  tail.push('ef');
  expect(tail.text()).toBe('cdef');
  tail.push('ghij');
  expect(tail.text()).toBe('cdefghij');
  tail.push('klmn');
  expect(tail.text()).toBe('cdefghijklmn');
});

const folders = ['C:\\work', '\\\\server\\share\\project'];

test.each([
  ['C:\\work\\a.txt'],
  ['c:/work/sub folder/a.b.txt'],
  ['C:\\work\\context.txt'],
  ['C:\\work\\com10'],
  ['C:\\work\\.gitignore'],
  ['\\\\SERVER\\Share\\project\\a.txt'],
  ['//server/share/other'],
  ['D:\\elsewhere'],
])('%s can be checked with the file system', (path) => {
  expect(windowsPathError(path, folders)).toBeUndefined();
});

test.each([
  ['\\\\evil\\share\\a.txt', 'outside the directories'],
  ['//evil/share/a.txt', 'outside the directories'],
  ['\\\\server\\other\\a.txt', 'outside the directories'],
  ['\\\\?\\C:\\work\\a.txt', 'device namespace'],
  ['\\\\.\\PhysicalDrive0', 'device namespace'],
  ['\\\\?\\UNC\\evil\\share\\a.txt', 'device namespace'],
  ['C:\\work\\a.txt:stream', 'alternate data stream'],
  ['C:\\work\\sub:stream\\a.txt', 'alternate data stream'],
  ['C:\\work\\CON', 'names a device'],
  ['C:\\work\\nul.txt', 'names a device'],
  ['C:\\work\\COM1 .log', 'names a device'],
  ['C:\\work\\aux\\a.txt', 'names a device'],
  ['C:\\work\\LPT³', 'names a device'],
  ['C:\\work\\a.txt.', 'a dot or a space'],
  ['C:\\work\\folder \\a.txt', 'a dot or a space'],
  [`C:\\work\\${'x'.repeat(256)}\\a.txt`, 'more than 255 characters'],
])('[security: windows-paths] %s is refused before any call of the file system', (path, message) => {
  const error = windowsPathError(path, folders);
  expect(error?.code).toBe(-32602);
  expect(error?.message).toContain(message);
});
