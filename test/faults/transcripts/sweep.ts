import { vi } from 'vitest';
import { equal } from '../../../src/core/conversation/equal.ts';
import { emptyConversation } from '../../../src/core/conversation/fold.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { type DiskFault, FaultyDisk } from '../../support/faulty-disk.ts';
import { type StoreSession, said, storeSession } from '../../support/recorded-stores.ts';

/** The faults that each call that writes has. */
export const diskFaults: readonly DiskFault[] = [
  ...[0, 0.3, 0.9, 1].map((part) => ({ kind: 'kill' as const, part })),
  ...[0, 0.5].flatMap((part) =>
    [false, true].map((reordered) => ({ kind: 'power' as const, part, reordered })),
  ),
  ...['ENOSPC', 'EIO', 'EROFS', 'ENOENT'].flatMap((code) => [
    { kind: 'error' as const, code, part: 0.5, calls: 1 },
    { kind: 'error' as const, code, part: 0, calls: 5 },
  ]),
];

/** One step of a session. Each has one batch. */
type Step = (session: StoreSession, random: () => number) => Promise<void>;

let count = 0;
const steps: readonly Step[] = [
  ({ apply }) => apply(said('user', `Question ${count}.`, `u${count++}`)),
  ({ apply }, random) => apply(said('agent', `Answer ${count} `.repeat(1 + random() * 40), `a${count++}`)),
  ({ apply }) => apply(said('agent', ` more ${count++}`, 'a-long')),
  ({ apply }) =>
    apply({ sessionUpdate: 'tool_call', toolCallId: `t${count++}`, title: 'Read a file', status: 'pending' }),
  ({ apply }) => apply({ sessionUpdate: 'session_info_update', title: `Title ${count++}` }),
];

/** The session is loaded again: it begins empty, and then has its history and a bit more. */
const load: Step = async ({ store, apply }) => {
  const before = store.getSnapshot();
  store.reset(emptyConversation(before.sessionId));
  await Promise.resolve();
  const entries = before.entries.map((entry) => ({ ...entry, origin: 'replay' as const }));
  store.reset({ ...before, entries });
  await apply(said('user', `After ${count}.`, `l${count++}`));
};

/** A sequence of numbers from 0 to 1 that is the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

export interface Case {
  readonly seed: number;
  /** The call at which the fault happens. */
  readonly at: number;
  readonly fault: DiskFault | undefined;
}

const sessionId = 's1';
const length = 12;

/** Everything in memory has come to rest. The timers are those of the test. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Records one session on a disk with a fault. Returns what is wrong with what the next program reads. */
export async function play(
  { seed, at, fault }: Case,
  directory: string,
): Promise<{ wrong: string[]; calls: number }> {
  const random = randomFrom(seed);
  count = 0;
  const disk = new FaultyDisk(at, fault, seed % 3 === 0 ? () => Math.floor(random() * 20) : () => 0);
  const told: string[] = [];
  const transcripts = await openTranscripts({
    storage: await directoryStorage(directory, disk),
    onDiagnostic: ({ rule }) => told.push(rule),
  });
  const made = storeSession(sessionId);
  /** What the session showed at the end of each step. */
  const states: Conversation[] = [];
  let stop = async () => {};
  for (let index = 0; index < length && !disk.isDown; index++) {
    const step = seed % 4 === 1 && index === length / 2 ? load : steps[Math.floor(random() * steps.length)];
    await (index === 0 ? steps[0] : step)?.(made, random);
    if (index === 0) stop = transcripts.record(made.session);
    states.push(made.store.getSnapshot());
    vi.advanceTimersByTime(100);
    await settled();
  }
  if (!disk.isDown && fault?.kind !== 'kill' && fault?.kind !== 'power') {
    // The recording tries again later each time.
    for (let tries = 0; tries < 10; tries++) {
      vi.advanceTimersByTime(60_000);
      await settled();
    }
    await stop();
  } else if (!disk.isDown) {
    void stop();
    await settled();
  }
  const found = await read(await reopened(directory, disk));
  const wrong = disk.isDown ? losses(found, states, fault) : unequal(found, states.at(-1));
  if (told.length > 1) wrong.push(`${told.length} diagnostics`);
  return { wrong, calls: disk.calls };
}

async function reopened(directory: string, disk: FaultyDisk): Promise<Transcripts> {
  return openTranscripts({ storage: await directoryStorage(directory, disk.after()) });
}

const read = (transcripts: Transcripts) => transcripts.read(sessionId).catch(() => undefined);

function unequal(found: Conversation | undefined, live: Conversation | undefined): string[] {
  return equal(found, live) ? [] : ['The transcript is not what the session shows'];
}

/** What the next program reads is what the session showed at the end of the last batch, or of one that was not synced. */
function losses(
  found: Conversation | undefined,
  states: readonly Conversation[],
  fault: DiskFault | undefined,
): string[] {
  const [previous, last] = [states.at(-2), states.at(-1)];
  if (!found) return fault?.kind === 'power' || !previous ? [] : ['Nothing can be read'];
  if (fault?.kind === 'power') {
    return states.some((state) => hasTexts(found, state))
      ? []
      : ['It has a state that the session never had'];
  }
  if (equal(found, last) || equal(found, previous)) return [];
  // Around a load there are two records, which a reader joins.
  const wanted = previous ?? last;
  return wanted && hasTexts(found, wanted) ? [] : ['A batch that was written is lost'];
}

function textsIn({ entries }: Conversation): readonly string[] {
  return entries.map((entry) => (entry.kind === 'message' ? textOf(entry) : entry.key));
}

/** Whether a conversation has all entries of another one, each once. */
function hasTexts(found: Conversation, wanted: Conversation): boolean {
  const texts = textsIn(found);
  const isTwice = new Set(texts).size < texts.length;
  return !isTwice && textsIn(wanted).every((text) => texts.some((one) => one.startsWith(text)));
}
