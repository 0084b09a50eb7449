import { expect, test } from 'vitest';
import { isSame, newHistory, newTurn, placeNear } from '../../../src/core/conversation/history.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { ConversationEntry } from '../../../src/core/model/conversation.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { repeats, says } from '../../support/updates.ts';
import { message, toolCall } from '../render/example.ts';

const calls = (toolCallId: string) =>
  ({ sessionUpdate: 'tool_call', toolCallId, title: toolCallId }) as const;
const conversationOf = (...updates: AnyUpdate[]) => foldUpdates(emptyConversation('s1'), updates);

const asks = (key: string, said: string): AnyUpdate => ({
  sessionUpdate: 'prompt_submitted',
  key,
  content: [{ type: 'text', text: said }],
});
const call = (toolCallId: string, status: string, content: readonly object[] = []) =>
  ({ ...calls(toolCallId), status, content }) as AnyUpdate;
const cancelled: AnyUpdate = { sessionUpdate: 'unfinished_cancelled' };
const ends = (cause: 'failed' | 'interrupted'): AnyUpdate[] => [
  cancelled,
  { sessionUpdate: 'turn_failed', cause, reason: 'It ended.' },
];

function lineOf(entry: ConversationEntry): string {
  if (entry.kind === 'message')
    return `${entry.key} ${entry.messageId} ${entry.origin}: ${textOf(entry).trim()}`;
  return entry.kind === 'toolCall' ? `${entry.key} ${entry.origin}: ${entry.status}` : entry.key;
}

/** What is shown after a replay, which can come in parts. */
function afterReplay(
  find: typeof newHistory,
  known: readonly AnyUpdate[],
  meanwhile: readonly AnyUpdate[],
  ...parts: (readonly AnyUpdate[])[]
) {
  const before = conversationOf(...known);
  let shown = foldUpdates(before, meanwhile);
  for (const part of parts) {
    const replayed = foldUpdates(emptyConversation('s1'), part, { origin: 'replay' });
    const update = find(before, shown, replayed);
    // Each entry that it completes is shown, and changes.
    for (const entry of update.completed ?? []) {
      expect(shown.entries.map(({ key }) => key)).toContain(entry.key);
      expect(shown.entries).not.toContainEqual(entry);
    }
    shown = foldUpdates(shown, [update]);
  }
  return shown;
}

const one = [repeats('One.', 'u1'), says('1', 'a1')];
const shownOne = ['user:u1 u1 live: One.', 'agent:a1 a1 live: 1'];
const two = [repeats('Two.', 'u2'), says('2', 'a2')];
const replayedTwo = ['user:u2 u2 replay: Two.', 'agent:a2 a2 replay: 2'];
const more = [repeats('More.', 'u3'), says('3', 'a3')];
const replayedMore = ['user:u3 u3 replay: More.', 'agent:a3 a3 replay: 3'];
const asked = [asks('p', 'Two.')];
const prompt = 'p null local: Two.';
const answer = 'agent:a2 a2 live: 2';
const lost = asks('o', 'Lost.');
const shownLost = 'o null local: Lost.';
const twice = [...one, ...two, ...more, ...two.map((each) => ({ ...each, messageId: `${each.messageId}'` }))];

test.each<[string, AnyUpdate[], AnyUpdate[], AnyUpdate[], string[]]>([
  ['follows the prompt', one, asked, [...one, ...two], [...shownOne, prompt, answer]],
  [
    'follows the last prompt with its words, behind what else is new',
    one,
    asked,
    twice,
    [...shownOne, ...replayedTwo, ...replayedMore, prompt, "agent:a2' a2' live: 2"],
  ],
  ['is all of a replay without a prompt', one, asked, two.slice(1), [...shownOne, prompt, answer]],
  [
    'is not what continues the conversation without the prompt',
    one,
    asked,
    [...one, ...two.slice(1)],
    [...shownOne, 'agent:a2 a2 replay: 2', prompt],
  ],
  ['is not in a replay of another conversation', one, asked, [...more, ...two], [...shownOne, prompt]],
  [
    'is not in one where a prompt is not confirmed',
    [...one, lost],
    [],
    [...more, ...two],
    [...shownOne, shownLost],
  ],
  ['is history if the user said nothing', one, [], [...one, ...two], [...shownOne, ...replayedTwo]],
  ['follows the first prompt', [], asked, two, [prompt, answer]],
  ['is all there is in a new conversation', [], asked, two.slice(1), [prompt, answer]],
  ['is not the answer to another prompt', [], asked, more, [...replayedMore, prompt]],
  [
    'follows what the user said since',
    one,
    [...asked, lost],
    [...one, ...two],
    [...shownOne, prompt, shownLost, answer],
  ],
  [
    'comes where the agent has confirmed nothing',
    [lost],
    asked,
    [...more, ...two],
    [shownLost, ...replayedMore, prompt, answer],
  ],
])('the answer in a late replay %s', (_, known, meanwhile, replayed, expected) => {
  expect(afterReplay(newTurn, known, meanwhile, replayed).entries.map(lineOf)).toEqual(expected);
});

const go = repeats('Go.', 'u1');
const said = says('He        ');
const works = call('t1', 'in_progress');
const known = [go, said, works, ...ends('interrupted')];
const whole = [go, says('Hello.', 'a1'), call('t1', 'completed')];
const shown = ['user:u1 u1 live: Go.', 'agent#1 null live: He', 'tool:t1 live: cancelled', 'turnFailure#3'];
const named = shown.with(1, 'agent#1 a1 live: He');
const completed = shown.with(1, 'agent#1 a1 live: Hello.').with(2, 'tool:t1 live: completed');
const goOn = repeats('Go on.', 'u2');

test.each<[string, AnyUpdate[], AnyUpdate[][], string[]]>([
  ['was interrupted', known, [whole], completed],
  ['was interrupted, from the second part of the replay', known, [[go], whole], completed],
  ['failed: only its ids', [go, said, works, ...ends('failed')], [whole], named],
  ['was interrupted, but not what is no longer', known, [whole, [go, says('He         ', 'a1')]], named],
  ['was interrupted, but not what still works', known, [whole, [go, said, works]], shown],
  [
    'was interrupted, under the id that is known',
    known.with(1, says('He', 'a0')),
    [whole],
    completed.with(1, 'agent:a0 a0 live: Hello.'),
  ],
  [
    'was interrupted, and not the turn before',
    [go, call('t0', 'in_progress'), cancelled, goOn, ...known.slice(1)],
    [[go, call('t0', 'completed'), goOn, ...whole.slice(1)]],
    [
      'user:u1 u1 live: Go.',
      'tool:t0 live: cancelled',
      'user:u2 u2 live: Go on.',
      'agent#3 a1 live: Hello.',
      'tool:t1 live: completed',
      'turnFailure#5',
    ],
  ],
  [
    'was interrupted, but not what has failed',
    known.with(2, call('t1', 'failed')),
    [whole],
    completed.with(2, 'tool:t1 live: failed'),
  ],
])('a replay completes the turn that %s', (_, before, parts, expected) => {
  expect(afterReplay(newHistory, before, [], ...parts).entries.map(lineOf)).toEqual(expected);
});

const draws: AnyUpdate = {
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'image', mimeType: 'image/png', data: 'AAAA' },
};
const called = (title: string) => ({ ...call('t', 'completed'), title }) as AnyUpdate;
const again = [repeats('Two.'), called('B')];

test.each<[string, AnyUpdate[], AnyUpdate[], string[]]>([
  [
    'follow the last one that the conversation has, also if tool calls come in another order',
    [calls('t0'), says('Yes.'), calls('t1')],
    [calls('t1'), calls('t0'), says('Yes.')],
    ['agent#2 null replay: Yes.'],
  ],
  [
    'follow the last call with an id that comes again, also if the replay lacks the first one',
    [repeats('One.'), called('A'), ...again],
    [...again, called('C')],
    ['tool#2:t#4 replay: completed'],
  ],
  [
    'include a text that replaces a picture',
    [go, draws],
    [go, says('Here.')],
    ['agent#1#2 null replay: Here.'],
  ],
  [
    'do not include a picture that the conversation has',
    [go, draws],
    [go, draws, calls('t1')],
    ['tool:t1 replay: pending'],
  ],
  [
    'do not include the whole of a message that was cut off',
    [go, says('He')],
    [go, says('Here.'), calls('t1')],
    ['tool:t1 replay: pending'],
  ],
])('the new entries of a replay %s', (_, before, replayed, expected) => {
  const { entries } = afterReplay(newHistory, before, [], replayed);
  expect(entries.slice(before.length).map(lineOf)).toEqual(expected);
});

const saying = (role: 'agent' | 'thought', said: string) => message(role, { type: 'text', text: said });
const run = toolCall({ title: 'Run', toolKind: 'execute' });

test.each<[boolean, ConversationEntry, ConversationEntry]>([
  [true, run, { ...run, toolCallId: 'other' }],
  [false, run, { ...run, title: 'Read' }],
  [false, run, { ...run, toolKind: 'read' }],
  [false, run, saying('agent', 'Run')],
  [false, saying('agent', 'Run'), run],
  [true, saying('agent', ' Run'), saying('agent', 'Run\n')],
  [true, saying('agent', 'Run\n'), saying('agent', ' Run it.')],
  [false, saying('agent', 'Run it.'), saying('agent', 'Run')],
  [false, saying('agent', 'Run'), saying('thought', 'Run')],
  [false, saying('agent', ' '), saying('agent', 'Run')],
  [true, saying('agent', ''), saying('agent', '')],
])('a replay can have an entry under another id, or more of it: %s', (expected, shown, replayed) => {
  expect(isSame(shown, replayed)).toBe(expected);
});

test('a place is looked for from another one on', () => {
  const sought: number[] = [];
  const place = placeNear([run, run, run], 1, (_, index) => sought.push(index) === 2);
  expect([place, sought]).toEqual([2, [1, 2]]);
});

test('what is new in a later part of a replay takes the place of what was new in an earlier one', () => {
  const { entries } = afterReplay(newHistory, one, [asks('p', 'Now.')], [...one, ...two], [...one, ...more]);
  expect(entries.map(lineOf)).toEqual([...shownOne, ...replayedMore, 'p null local: Now.']);
});

test('a replay brings the terminals of its new calls, and of those that it completes, if they are new', () => {
  const prints =
    (data: string) =>
    (terminalId: string): AnyUpdate => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId,
      data: btoa(data),
    });
  const shows = (...ids: string[]) => ids.map((terminalId) => ({ type: 'terminal', terminalId }));
  const before = [go, said, call('t1', 'in_progress', shows('w1')), ...['w1', 't2'].map(prints('old'))];
  const replayed = [
    call('t1', 'completed', shows('w1', 'w2')),
    call('t2', 'completed', shows('t2', 'w3', 'w4')),
  ];
  const printed = ['w1', 'w2', 't2', 'w3', 'w5'].map(prints('new'));
  const { terminals } = afterReplay(
    newHistory,
    [...before, ...ends('interrupted')],
    [],
    [...whole.slice(0, 2), ...replayed, ...printed],
  );
  const outputs = Object.entries(terminals).map(([id, { output }]) => [id, output]);
  expect(outputs).toEqual([['w1', 'old'], ...['t2', 'w3', 'w2'].map((id) => [id, 'new'])]);
});

test('a message without an id gets the one of the replay under its key, while both say the same', () => {
  const before = conversationOf(repeats('Draw.'), says('Here.'), calls('t1'));
  const prompt = (messageId: string, said: string): AnyUpdate => ({
    sessionUpdate: 'user_message',
    messageId,
    content: [{ type: 'text', text: said }],
  });
  const named = foldUpdates(before, [newHistory(before, before, conversationOf(prompt('u1', 'Draw.')))]);
  expect(named.entries).toEqual([{ ...before.entries[0], messageId: 'u1' }, ...before.entries.slice(1)]);
  expect(foldUpdates(named, [prompt('u1', 'Draw it.')]).entries).toHaveLength(3);
  const replayed = conversationOf(prompt('u1', 'Paint.'), calls('t1'), prompt('u1', 'Paint.'));
  const taken = foldUpdates(named, [newHistory(before, named, replayed), prompt('u1', 'Paint.')]);
  expect(taken.entries.slice(0, 3)).toEqual(before.entries);
  expect(taken.entries).toHaveLength(4);
});

test('a tool call that works again is cancelled with the turn that it works in', () => {
  const status = (status: string): AnyUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    status,
  });
  const turn = [calls('t1'), status('completed'), calls('t2'), { sessionUpdate: 'unfinished_cancelled' }];
  const { entries } = conversationOf(...(turn as AnyUpdate[]), status('in_progress'), {
    sessionUpdate: 'unfinished_cancelled',
  });
  expect(entries).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
});

test.each([
  ['one in a history', 'replay', ['One.', 'Two.']],
  ['a part of one when they come live', 'live', ['One.Two.']],
] as const)('a second text of the user in a row is %s', (_, origin, prompts) => {
  const { entries } = foldUpdates(emptyConversation('s1'), [repeats('One.'), repeats('Two.')], { origin });
  expect(entries.map((entry) => entry.kind === 'message' && textOf(entry))).toEqual(prompts);
});

test('a prompt keeps its picture when the agent repeats the words before it', () => {
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  ] as const;
  const { entries } = conversationOf(
    { sessionUpdate: 'prompt_submitted', key: 'p', content },
    repeats('Look.'),
  );
  expect(entries[0]).toMatchObject({ content });
});

test.each([
  ['ends as the one before did, under its name', 'completed', 'Run'],
  ['works as the one before does that has not ended', 'in_progress', 'bash'],
] as const)('a call of the next turn with a known id stays if it %s', (_, status, announced) => {
  const call = (title: string, status: string): AnyUpdate => ({ ...calls('t1'), title, status });
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'Run', status } as const;
  const { entries } = conversationOf(
    call('Run', status),
    repeats('Again.'),
    call(announced, 'pending'),
    update,
  );
  expect(entries).toMatchObject([{ status }, {}, { status }]);
});

const submitted: AnyUpdate = {
  ...{ sessionUpdate: 'prompt_submitted', key: 'p' },
  content: [{ type: 'text', text: 'Hi.' }],
};
const settled = (accepted: boolean): AnyUpdate => ({
  ...{ sessionUpdate: 'prompt_settled', key: 'p' },
  ...{ accepted, messageId: accepted ? 'u1' : null },
});
const echo = repeats('Hi.', 'u1');

test.each<[string, readonly AnyUpdate[], object]>([
  ['is one with the message that its answer names', [echo, submitted, settled(true)], { key: 'p' }],
  ['is not confirmed by two answers', [submitted, settled(true), settled(true)], { origin: 'local' }],
  ['stays if it is refused after it was repeated', [submitted, echo, settled(false)], { origin: 'live' }],
])('a prompt %s', (_, updates, expected) => {
  expect(conversationOf(...updates).entries).toMatchObject([{ messageId: 'u1', ...expected }]);
});
