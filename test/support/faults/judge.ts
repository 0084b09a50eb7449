import { isDeepStrictEqual } from 'node:util';
import { AcpError } from '../../../src/core/base/errors.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { Conversation, ConversationEntry } from '../../../src/core/model/conversation.ts';
import { numbersIn } from './play.ts';
import type { SeenTurn } from './playing-client.ts';
import type { Seen } from './run-case.ts';

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
