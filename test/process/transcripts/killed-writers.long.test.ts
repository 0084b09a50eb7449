import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '../../../src/core/conversation/select.ts';
import { openIn, said, storeSession } from '../../support/recorded-stores.ts';
import { spawn } from '../../support/spawn.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = join(import.meta.dirname, 'programs/recorder.mjs');

/** How many turns a program has in each session. */
const turns = 4;

/** A program that records sessions. It is killed with the given line that it prints, or ends by itself with the last one. */
async function recorded(directory: string, name: string, sessions: number, lastLine: number) {
  const started = spawn(process.execPath, [program, directory, name, String(sessions)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  const ended = once(started, 'exit');
  const written: string[] = [];
  for await (const line of createInterface(started.stdout)) {
    written.push(line);
    if (written.length === sessions * turns && lastLine === Number.POSITIVE_INFINITY) started.stdin.end();
    else if (written.length === lastLine) started.kill('SIGKILL');
  }
  await ended;
  return written;
}

/** What the next program reads of a session, and what is wrong with it. */
async function problemsIn(directory: string, sessionId: string, written: readonly string[]) {
  const transcripts = await openIn(directory);
  const { entries } = await transcripts.read(sessionId);
  const texts = entries.map((entry) => (entry.kind === 'message' ? textOf(entry) : entry.kind));
  const own = written.filter((line) => line.startsWith(`${sessionId} `));
  const all = own.flatMap((line) => ['', ' answered'].map((end) => `${line.split(' ')[1]}${end}`));
  return {
    lost: all.filter((text) => !texts.includes(text)),
    twice: texts.filter((text, index) => texts.indexOf(text) < index),
    /** A program begins with what is there, and writes one message after the other. */
    outOfOrder: all.filter((text, index) => {
      const place = texts.indexOf(text);
      const [writer = ''] = text.split('.');
      return all.slice(0, index).some((one) => one.startsWith(`${writer}.`) && texts.indexOf(one) > place);
    }),
  };
}

const nothing = { lost: [], twice: [], outOfOrder: [] };

test('one session that ten programs record at once, of which forty are killed, has what was written, once', async () => {
  const directory = temporaryFolder();
  const written: string[] = [];
  const slots = Array.from({ length: 10 }, async (_, slot) => {
    for (let life = 0; life <= 4; life++) {
      const lastLine = life < 4 ? 1 + ((slot + life) % turns) : Number.POSITIVE_INFINITY;
      written.push(...(await recorded(directory, `p${slot}.${life}`, 1, lastLine)));
    }
  });
  await Promise.all(slots);
  expect(written.length).toBeGreaterThanOrEqual(10 * turns + 40);
  expect(await problemsIn(directory, 's0', written)).toEqual(nothing);

  // The next recording takes over what the killed programs have left.
  const transcripts = await openIn(directory);
  const { session, apply } = storeSession('s0', { conversation: await transcripts.read('s0') });
  await apply(said('user', 'Next.'));
  await transcripts.record(session)();
  expect(readdirSync(directory).filter((name) => name.startsWith('s0-'))).toHaveLength(1);
  expect(await problemsIn(directory, 's0', written)).toEqual(nothing);
});

test('two programs that record a hundred sessions and are killed lose nothing', async () => {
  const [directory, sessions] = [temporaryFolder(), 100];
  const programs = ['one.', 'other.'].map((name) => recorded(directory, name, sessions, sessions * turns));
  const written = (await Promise.all(programs)).flat();
  expect(written).toHaveLength(2 * sessions * turns);
  const wrong: unknown[] = [];
  for (let index = 0; index < sessions; index++) {
    const problems = await problemsIn(directory, `s${index}`, written);
    if (Object.values(problems).flat().length > 0) wrong.push({ index, ...problems });
  }
  expect(wrong).toEqual([]);
});
