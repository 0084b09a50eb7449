import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { columnsOf } from '../../../../src/core/render/columns.ts';
import { showWhile, silenceNote } from '../../../../src/programs/cli/activity.ts';
import { readArguments } from '../../../../src/programs/cli/arguments.ts';
import { search } from '../../../../src/programs/cli/commands/history.ts';
import { Interrupts } from '../../../../src/programs/cli/context.ts';
import { Output } from '../../../../src/programs/cli/print.ts';
import { openTranscripts } from '../../../../src/records/transcripts/open-transcripts.ts';
import { said, storeSession } from '../../../support/recorded-stores.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** The first line that is shown for what goes on, in a terminal with so many columns. */
function lineFor(what: string, noteWidth: number): string {
  const lines: string[] = [];
  const output = { noteWidth, writtenAt: 0, status: (text: string) => void lines.push(text) };
  void showWhile({ output, interrupts: { effect: 'exits' } }, () => what, new Promise(() => {}));
  vi.advanceTimersByTime(1000);
  return lines[0] ?? '';
}

test.each([
  ['fits', 'npm test', '⠋ npm test · Ctrl-C exits · 1 s'],
  ['fits exactly', 'a'.repeat(31), `⠋ ${'a'.repeat(31)} · Ctrl-C exits · 1 s`],
  ['is too long', 'a'.repeat(32), `⠋ ${'a'.repeat(30)}… · Ctrl-C exits · 1 s`],
  ['is too long in wide characters', '字'.repeat(16), `⠋ ${'字'.repeat(15)}… · Ctrl-C exits · 1 s`],
  [
    'would be cut in the middle of a character',
    `${'a'.repeat(29)}😀😀`,
    `⠋ ${'a'.repeat(29)}… · Ctrl-C exits · 1 s`,
  ],
  ['has marks that take no column', 'e\u0301'.repeat(31), `⠋ ${'e\u0301'.repeat(31)} · Ctrl-C exits · 1 s`],
])('a text that %s', (_, what, line) => {
  expect(lineFor(what, 55)).toBe(line);
  expect(columnsOf(line)).toBeLessThan(55);
});

// Some agents have a whole script in the title of a tool call, and the line is shown five times a second.
test('only the beginning of a long text is looked at', () => {
  const script = `é ${'cat <<EOF '.repeat(20_000)}`;
  expect(lineFor(script, 80)).toBe(`⠋ ${script.slice(0, 55)}… · Ctrl-C exits · 1 s`);
});

test('a turn in which the agent sends nothing for ten seconds says so once, unless it is expected', () => {
  const notes: string[] = [];
  let isExpected = true;
  const timer = silenceNote({ note: (text) => void notes.push(text) }, () => isExpected);
  timer.start();
  vi.advanceTimersByTime(60_000);
  isExpected = false;
  for (let second = 0; second < 60; second += 5) {
    timer.restart();
    vi.advanceTimersByTime(5_000);
  }
  expect(notes).toEqual([]);
  vi.advanceTimersByTime(20_000);
  timer.restart();
  vi.advanceTimersByTime(60_000);
  expect(notes).toEqual([expect.stringContaining('The agent has sent nothing for 10 s.')]);
  timer.stop();
});

test('a search of transcripts that finds nothing says what it does, and Ctrl-C ends it', async () => {
  vi.useRealTimers();
  const directory = temporaryFolder();
  const transcripts = await openTranscripts({ directory });
  const { session, apply } = storeSession('s1');
  await apply(said('user', 'A question.'));
  transcripts.record(session);
  await transcripts.close();

  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
  const host = Object.create(process) as NodeJS.Process;
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  for (const [name, value] of Object.entries({ stdout: new PassThrough(), stderr, env: {} })) {
    Object.defineProperty(host, name, { value });
  }
  const interrupts = new Interrupts(host);
  onTestFinished(() => interrupts.dispose());
  const request = readArguments(['history', 'search', 'zebra', '--directory', directory], directory);
  if (!('run' in request)) throw new Error('It is not a command.');
  const output = new Output(host);
  const searched = search(request.run, { host, output, interrupts, report() {} });
  vi.advanceTimersByTime(1000);
  expect(`${stderr.read()}`).toContain('Searching the transcripts · Ctrl-C exits · 1 s');
  interrupts.press();
  await expect(searched).rejects.toMatchObject({ message: 'Interrupted.', exitCode: 130 });
  expect(`${stderr.read()}`).toBe('\r\x1b[K');
});
