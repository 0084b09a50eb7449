import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readArguments } from '../../../src/programs/cli/arguments.ts';
import { history, print, search } from '../../../src/programs/cli/commands/history.ts';
import { Interrupts } from '../../../src/programs/cli/context.ts';
import { Output } from '../../../src/programs/cli/print.ts';
import { readTranscript } from '../../../src/programs/inspector/timeline/read-transcript.ts';
import { exporters } from '../../../src/records/transcripts/export.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { TranscriptError } from '../../../src/records/transcripts/transcript-error.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { outline } from '../../support/open-session.ts';
import { all, said, storeSession } from '../../support/recorded-stores.ts';

/** A directory with a transcript that is to be damaged, and one beside it. */
export type Pair = Readonly<Record<'damaged' | 'other', { readonly name: string; readonly bytes: Buffer }>>;

const id = 's1';
const neighbor = 's2';

/** Records both transcripts. The first one has a line of each kind. */
export async function recordedPair(directory: string): Promise<Pair> {
  const transcripts = await openTranscripts({ directory });
  // A file that is to become a record has a name of its own.
  const names = () => readdirSync(directory).filter((name) => !name.startsWith('.'));
  const files = () => names().map((name) => ({ name, bytes: readFileSync(join(directory, name)) }));
  const { session, apply } = storeSession(id);
  await apply(said('user', `Is 1900 a leap year? ${'I ask. '.repeat(80)}`, 'm1'), {
    sessionUpdate: 'tool_call',
    toolCallId: 't1',
    title: 'Read a file',
    status: 'in_progress',
    locations: [{ path: '/a.ts' }],
  });
  const stop = transcripts.record(session);
  await eventually(() => files().length).toBe(1);
  await apply(said('agent', 'No, it is not.', 'm2'), {
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    status: 'completed',
  });
  await eventually(() => files()[0]?.bytes.includes('"patch"')).toBe(true);
  const [damaged = { name: '', bytes: Buffer.of() }] = files();
  const lines = `{"updatedAt":"2026-01-01T00:00:00.000Z","title":null,"ended":true}\n`;
  await stop();
  rmSync(join(directory, damaged.name));
  const beside = storeSession(neighbor);
  await beside.apply(said('user', 'Another leap.'));
  await transcripts.record(beside.session)();
  await transcripts.close();
  const [other = { name: '', bytes: Buffer.of() }] = files();
  return { damaged: { ...damaged, bytes: Buffer.concat([damaged.bytes, Buffer.from(lines)]) }, other };
}

/** Flips one bit, and uses everything that reads transcripts. Returns what is wrong. */
export async function playBit({ damaged, other }: Pair, bit: number, directory: string): Promise<string[]> {
  mkdirSync(directory);
  const bytes = Buffer.from(damaged.bytes);
  const at = Math.floor(bit / 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
  writeFileSync(join(directory, damaged.name), bytes);
  writeFileSync(join(directory, other.name), other.bytes);
  const wrong: string[] = [];
  const expect = (holds: boolean, what: string) => void (holds || wrong.push(`bit ${bit}: ${what}`));
  const tryTo = async (what: string, task: () => unknown) => {
    try {
      await task();
    } catch (error) {
      expect(error instanceof TranscriptError, `${what}: ${error}`);
    }
  };
  const told: string[] = [];
  const transcripts = await openTranscripts({ directory, onDiagnostic: ({ rule }) => told.push(rule) });
  const ids = (await all(transcripts.list())).map((info) => info.id);
  expect(ids.includes(neighbor), 'the other transcript is not listed');
  expect(ids.includes(id) || told.includes('transcripts.damaged'), 'it is not listed, and nothing says so');
  const hits = await all(transcripts.search('leap'));
  expect(
    hits.some((hit) => hit.id === neighbor),
    'the other transcript is not found',
  );
  await tryTo('read', () => transcripts.read(id));
  for (const format of Object.keys(exporters) as (keyof typeof exporters)[])
    await tryTo(`export as ${format}`, () => transcripts.export(id, { format }));
  await tryTo('inspect', () => readTranscript('s1.jsonl', bytes.toString()));
  await tryTo('reopen', () => reopened(transcripts));
  const actions = [
    { words: ['history'], run: history },
    { words: ['history', 'search', 'leap'], run: search },
    { words: ['history', 'print', id], run: print },
  ];
  for (const { words, run } of actions) await tryTo(`${words}`, () => runHistory(words, run, directory));
  const { session, apply } = storeSession(id);
  await apply(said('user', 'A new question.', 'm3'));
  await transcripts.record(session)();
  const after = await transcripts.read(id).catch((error: unknown) => String(error));
  expect(
    typeof after !== 'string' && outline(after).includes('user: A new question.'),
    `the prompt is lost: ${after}`,
  );
  expect(!told.includes('transcripts.not_written'), 'the session was not written');
  await transcripts.close();
  rmSync(directory, { recursive: true });
  return wrong;
}

async function reopened(transcripts: Transcripts): Promise<void> {
  const { connection } = await connectTo(everything.v1, { script: (agent) => agent.on('session/load', {}) });
  try {
    await transcripts.reopen(id, connection);
  } finally {
    await connection.close();
  }
}

/** Runs `acp-client history` in this process. */
async function runHistory(words: readonly string[], run: typeof history, directory: string): Promise<void> {
  const host = Object.create(process) as NodeJS.Process;
  for (const name of ['stdout', 'stderr'])
    Object.defineProperty(host, name, { value: new PassThrough().resume() });
  const interrupts = new Interrupts(host);
  const request = readArguments([...words, '--directory', directory], directory);
  if (!('run' in request)) throw new Error('It is not a command.');
  try {
    await run(request.run, { host, output: new Output(host), interrupts, report() {} });
  } finally {
    interrupts.dispose();
  }
}
