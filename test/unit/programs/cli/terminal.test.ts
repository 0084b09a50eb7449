import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { Interrupts } from '../../../../src/programs/cli/context.ts';
import { Terminal } from '../../../../src/programs/cli/terminal.ts';
import { eventually } from '../../../support/eventually.ts';

const isChoice = (line: string) => /^[12]$/.test(line);

/** A terminal. The test types at the other end of stdin. */
function start() {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: false, columns: 80 });
  let shown = '';
  stderr.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  // The terminal uses the streams and the signals of its process.
  const host = Object.create(process) as NodeJS.Process;
  for (const [name, value] of Object.entries({ stdin, stderr })) Object.defineProperty(host, name, { value });
  const interrupts = new Interrupts(host);
  const terminal = new Terminal({ host, interrupts });
  onTestFinished(() => {
    terminal.close();
    interrupts.dispose();
  });
  const { signal } = new AbortController();
  return { stdin, terminal, signal, shown: () => shown };
}

test('lines that were typed early are kept for the next line', async () => {
  const { terminal, stdin, signal } = start();
  const first = terminal.nextLine('> ', signal);
  stdin.write('one\ntwo\nthree\n');
  expect(await first).toBe('one');
  expect(await terminal.nextLine('> ', signal)).toBe('two');
  expect(await terminal.nextLine('> ', signal)).toBe('three');
});

test('a line that was typed before the question is no answer to it', async () => {
  const { terminal, stdin, signal, shown } = start();
  const first = terminal.nextLine('> ', signal);
  stdin.write('one\n1\n');
  expect(await first).toBe('one');
  const answer = terminal.answer('Allow? ', isChoice, signal);
  await eventually(shown).toContain('Allow? ');
  stdin.write('2\n');
  expect(await answer).toBe('2');
  expect(await terminal.nextLine('> ', signal)).toBe('1');
});

test('the latest question gets the line, and the earlier one is asked again', async () => {
  const { terminal, stdin, signal, shown } = start();
  const prompt = terminal.nextLine('> ', signal);
  const permission = terminal.answer('Allow? ', isChoice, signal);
  stdin.write('yes\n2\n');
  expect(await permission).toBe('2');
  expect(shown()).toBe('> Allow? Allow? > ');
  stdin.write('hello\n');
  expect(await prompt).toBe('hello');
});

test('an abort ends one question, and the end of the input all of them', async () => {
  const { terminal, stdin, signal } = start();
  const withdrawal = new AbortController();
  const prompt = terminal.nextLine('> ', signal);
  const permission = terminal.answer('Allow? ', isChoice, withdrawal.signal);
  withdrawal.abort();
  expect(await permission).toBeUndefined();
  stdin.end();
  expect(await prompt).toBeUndefined();
  expect(await terminal.nextLine('> ', signal)).toBeUndefined();
});
