import { isDeepStrictEqual } from 'node:util';
import { AcpError } from '../../../src/core/base/errors.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { Conversation, ConversationEntry } from '../../../src/core/model/conversation.ts';
import type { TransportName } from '../transports/names.ts';
import { openHost } from '../transports/table.ts';
import { type CasesOf, recoveries } from './cases.ts';
import { numbersIn, recordedPlay } from './play.ts';
import type { SeenTurn } from './playing-client.ts';
import { runCase, type Seen } from './run-case.ts';

/**
 * What a fault came to for the user.
 *
 * - `unchanged`: the conversation is that without the fault.
 * - `refused`: a call failed with an error, and the agent never got it.
 * - `gap`: a turn has an entry which says that something is missing, and the session goes on.
 * - `ended`: the session or the connection has ended with an error.
 */
export type Verdict = 'unchanged' | 'refused' | 'gap' | 'ended';

export interface Judgement {
  readonly verdict: Verdict;
  /** What must not happen. */
  readonly problems: readonly string[];
}

/** Compares what the user saw with the same session without a fault. */
export function judge(seen: Seen, reference: Seen): Judgement {
  const shown = turnsIn(seen.conversation);
  const expected = turnsIn(reference.conversation);
  const problems = [
    ...(seen.end === 'hangs' ? [`hangs at ${seen.last}`] : []),
    ...(seen.end === 'has ended' && !AcpError.is(seen.error) ? ['ended without an error'] : []),
    ...seen.shared.map((sessionId) => `two agents work on ${sessionId}`),
    ...doubled(seen.conversation),
  ];
  // What an interrupted turn still brings comes after the next prompt, if the user did not wait.
  const late = new Set<string>();
  for (const turn of seen.turns) {
    const entries = (shown.get(turn.text) ?? []).filter(
      (entry) => !namesOf(entry).some((name) => late.has(name)),
    );
    const right = expected.get(turn.text);
    const arrived = seen.arrived.filter((text) => text === turn.text).length;
    const found = problemsOf(turn, arrived, entries, right);
    problems.push(...found.map((problem) => `"${turn.text}": ${problem}`));
    if (entries.some(isGap)) for (const name of (right ?? []).flatMap(namesOf)) late.add(name);
  }
  return { verdict: verdictOf(seen), problems };
}

function verdictOf({ end, conversation, turns }: Seen): Verdict {
  if (end === 'has ended') return 'ended';
  if (conversation?.entries.some(isGap)) return 'gap';
  return turns.some(({ error }) => error !== undefined) ? 'refused' : 'unchanged';
}

const isGap = ({ kind }: ConversationEntry) => kind === 'turnFailure';

/** The entries of each turn, by the text of its prompt. */
function turnsIn(conversation: Conversation | undefined): ReadonlyMap<string, readonly ConversationEntry[]> {
  const turns = new Map<string, ConversationEntry[]>();
  let current: ConversationEntry[] = [];
  for (const entry of conversation?.entries ?? []) {
    if (entry.kind === 'message' && entry.role === 'user') {
      current = [];
      turns.set(textOf(entry), current);
    }
    current.push(entry);
  }
  return turns;
}

/** What is in an entry, each of which is in a conversation once: its numbered texts, or the tool call. */
function namesOf(entry: ConversationEntry): readonly string[] {
  if (entry.kind === 'toolCall') return [entry.toolCallId];
  if (entry.kind !== 'message') return [];
  const text = textOf(entry);
  return entry.role === 'user' ? [text] : numbersIn(text).map((number) => `text ${number}`);
}

/** What the conversation has twice. */
function doubled(conversation: Conversation | undefined): readonly string[] {
  const names = (conversation?.entries ?? []).flatMap(namesOf);
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  return twice.map((name) => `${name} is shown twice`);
}

function problemsOf(
  { error }: SeenTurn,
  arrived: number,
  shown: readonly ConversationEntry[],
  expected: readonly ConversationEntry[] | undefined,
): readonly string[] {
  const problems: string[] = [];
  if (arrived > 1) problems.push(`the agent got it ${arrived} times`);
  if (error !== undefined && !AcpError.is(error)) problems.push(`failed with ${String(error)}`);
  if (error === undefined) {
    if (arrived === 0) problems.push('ended without the agent');
    if (expected && !isDeepStrictEqual(comparable(shown), comparable(expected))) {
      problems.push(
        `differs: ${JSON.stringify(comparable(shown))} instead of ${JSON.stringify(comparable(expected))}`,
      );
    }
  } else if (arrived > 0 && !shown.some(isGap)) problems.push('failed, and the conversation does not say so');
  return problems;
}

const own: ReadonlySet<string> = new Set(['key', 'origin']);

/** Entries without what each client names in its own way. */
export function comparable(entries: readonly ConversationEntry[]): unknown {
  return JSON.parse(JSON.stringify(entries, (name, value) => (own.has(name) ? undefined : value)));
}

/** How many cases run at the same time. Most of their time they wait. */
const atOnce = 16;

export interface SweepOptions {
  readonly transport: TransportName;
  readonly version: 1 | 2;
  readonly cases: CasesOf;
  /** Whether each case is played with each way to go on after a loss, or with one of them in turn. */
  readonly recoveries: 'each' | 'in turns';
}

export interface Swept {
  /** How many cases came to each verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** What must not happen, with the case in which it did. */
  readonly problems: readonly string[];
}

/** Plays the recorded session once for each case. */
export async function sweep(options: SweepOptions): Promise<Swept> {
  const { transport, version } = options;
  const host = await openHost(transport);
  const counts: Record<Verdict, number> = { unchanged: 0, refused: 0, gap: 0, ended: 0 };
  const problems: string[] = [];
  const ways = recoveries[version];
  for (const [turn, { client, reopening }] of ways.entries()) {
    const stage = { transport, host, play: await recordedPlay(version, reopening) };
    const reference = await runCase(stage, client, { name: 'nothing goes wrong' });
    // Such that each fault meets each way to go on at some messages.
    const isDue = (index: number) =>
      options.recoveries !== 'in turns' || (index + Math.floor(index / 7)) % ways.length === turn;
    const waiting = options.cases(reference.passed).filter((_case, index) => isDue(index));
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const judgement = judge(await runCase(stage, client, next), reference);
        counts[judgement.verdict]++;
        const where = `version ${version}, ${client} (${reopening}), ${next.name}`;
        problems.push(...judgement.problems.map((problem) => `${where}: ${problem}`));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }
  return { counts, problems };
}
