import { describe, expect, test } from 'vitest';
import { isSame, newHistory, newTurn, placeNear } from '../../../src/core/conversation/history.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { ConversationEntry } from '../../../src/core/model/conversation.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { repeats, says } from '../../support/updates.ts';
import { message, toolCall } from '../render/example.ts';

const shows = (data: string): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'image', mimeType: 'image/png', data },
});
const calls = (toolCallId: string) =>
  ({ sessionUpdate: 'tool_call', toolCallId, title: toolCallId }) as const;
const conversationOf = (...updates: AnyUpdate[]) => foldUpdates(emptyConversation('s1'), updates);

describe('the new entries of a replay', () => {
  const newEntries = (shown: AnyUpdate[], replayed: AnyUpdate[]) => {
    const before = conversationOf(...shown);
    const { entries } = foldUpdates(before, [newHistory(before, before, conversationOf(...replayed))]);
    return entries
      .slice(before.entries.length)
      .map((entry) =>
        entry.kind === 'toolCall' ? entry.toolCallId : entry.kind === 'message' ? entry.content : entry.kind,
      );
  };

  test('follow the last one that the conversation has, also if tool calls come in another order', () => {
    const shown = [calls('t0'), says('Yes.'), calls('t1')];
    expect(newEntries(shown, [calls('t1'), calls('t0'), says('Yes.')])).toEqual([
      [{ type: 'text', text: 'Yes.' }],
    ]);
  });

  test('follow the last call with an id that comes again, also if the replay lacks the first one', () => {
    const ended: AnyUpdate = { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' };
    const call = (title: string): AnyUpdate[] => [
      { sessionUpdate: 'tool_call', toolCallId: 't', title },
      ended,
    ];
    const kept = [repeats('Two.'), ...call('B')];
    expect(newEntries([repeats('One.'), ...call('A'), ...kept], [...kept, ...call('C')])).toEqual(['t']);
  });

  test('include a text that replaces an entry without text', () => {
    const shown = [repeats('Draw.'), shows('AAAA')];
    expect(newEntries(shown, [repeats('Draw.'), says('Here.')])).toEqual([[{ type: 'text', text: 'Here.' }]]);
  });

  test('do not include a message without text that the conversation has', () => {
    const shown = [repeats('Draw.'), shows('AAAA')];
    expect(newEntries(shown, [repeats('Draw.'), shows('AAAA'), calls('t1')])).toEqual(['t1']);
  });

  test('do not include the whole of a message that was cut off', () => {
    const shown = [repeats('Draw.'), says('He')];
    expect(newEntries(shown, [repeats('Draw.'), says('Here.'), calls('t1')])).toEqual(['t1']);
  });
});

const asks = (key: string, said: string): AnyUpdate => ({
  sessionUpdate: 'prompt_submitted',
  key,
  content: [{ type: 'text', text: said }],
});
const call = (toolCallId: string, status: string, content: readonly object[] = []) =>
  ({ ...calls(toolCallId), status, content }) as AnyUpdate;
const broken = (cause: string): AnyUpdate[] => [
  { sessionUpdate: 'unfinished_cancelled' },
  { sessionUpdate: 'turn_failed', cause, reason: 'It ended.' },
];

function lineOf(entry: ConversationEntry): string {
  if (entry.kind === 'message')
    return `${entry.key} ${entry.messageId} ${entry.origin}: ${textOf(entry).trim()}`;
  return entry.kind === 'toolCall' ? `${entry.key} ${entry.origin}: ${entry.status}` : entry.key;
}

const replayOf = (updates: readonly AnyUpdate[]) =>
  foldUpdates(emptyConversation('s1'), updates, { origin: 'replay' });

/** What is shown after a replay. Its first parts have come before. */
function afterReplay(
  find: typeof newHistory,
  known: readonly AnyUpdate[],
  meanwhile: readonly AnyUpdate[],
  ...parts: (readonly AnyUpdate[])[]
) {
  const before = conversationOf(...known);
  let shown = foldUpdates(before, meanwhile);
  for (const part of parts) {
    const update = find(before, shown, replayOf(part));
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
const asked = 'p null local: Two.';
const answer = 'agent:a2 a2 live: 2';
const more = [repeats('More.', 'u3'), says('3', 'a3')];
const replayedMore = ['user:u3 u3 replay: More.', 'agent:a3 a3 replay: 3'];

test.each<[string, AnyUpdate[], AnyUpdate[], AnyUpdate[], string[]]>([
  ['follows the prompt', one, [asks('p', 'Two.')], [...one, ...two], [...shownOne, asked, answer]],
  [
    'follows the last prompt with its words, behind what else is new',
    one,
    [asks('p', 'Two.')],
    [...one, ...more, repeats('Two.', 'u4'), says('4', 'a4'), ...two],
    [...shownOne, ...replayedMore, 'user:u4 u4 replay: Two.', 'agent:a4 a4 replay: 4', asked, answer],
  ],
  [
    'is all of a replay without a prompt',
    one,
    [asks('p', 'Two.')],
    two.slice(1),
    [...shownOne, asked, answer],
  ],
  [
    'is not what continues the conversation without the prompt',
    one,
    [asks('p', 'Two.')],
    [...one, ...two.slice(1)],
    [...shownOne, 'agent:a2 a2 replay: 2', asked],
  ],
  [
    'is not in a replay of another conversation',
    one,
    [asks('p', 'Two.')],
    [...more, ...two],
    [...shownOne, asked],
  ],
  [
    'is not in one where a prompt is not confirmed',
    [...one, asks('o', 'Lost.')],
    [],
    [...more, ...two],
    [...shownOne, 'o null local: Lost.'],
  ],
  ['is history if the user said nothing', one, [], [...one, ...two], [...shownOne, ...replayedTwo]],
  ['follows the first prompt', [], [asks('p', 'Two.')], two, [asked, answer]],
  ['is all there is in a new conversation', [], [asks('p', 'Two.')], two.slice(1), [asked, answer]],
  ['is not the answer to another prompt', [], [asks('p', 'Two.')], more, [...replayedMore, asked]],
  [
    'follows what the user said since',
    one,
    [asks('p', 'Two.'), asks('q', 'And?')],
    [...one, ...two],
    [...shownOne, asked, 'q null local: And?', answer],
  ],
  [
    'comes to a conversation in which the agent has confirmed nothing',
    [asks('o', 'Lost.')],
    [asks('p', 'Two.')],
    [...more, ...two],
    ['o null local: Lost.', ...replayedMore, asked, answer],
  ],
])('the answer in a late replay %s', (_, known, meanwhile, replayed, expected) => {
  expect(afterReplay(newTurn, known, meanwhile, replayed).entries.map(lineOf)).toEqual(expected);
});

const cut = [repeats('Go.', 'u1'), says('He       '), call('t1', 'in_progress')];
const whole = [repeats('Go.', 'u1'), says('Hello.', 'a1'), call('t1', 'completed')];
const shownCut = [
  'user:u1 u1 live: Go.',
  'agent#1 null live: He',
  'tool:t1 live: cancelled',
  'turnFailure#3',
];
const withName = shownCut.with(1, 'agent#1 a1 live: He');
const shownWhole = shownCut.with(1, 'agent#1 a1 live: Hello.').with(2, 'tool:t1 live: completed');
const known = [...cut, ...broken('interrupted')];

test.each<[string, AnyUpdate[], AnyUpdate[][], string[]]>([
  ['was interrupted', known, [whole], shownWhole],
  ['was interrupted, from the second part of the replay', known, [whole.slice(0, 1), whole], shownWhole],
  ['failed: only its ids', [...cut, ...broken('failed')], [whole], withName],
  [
    'was interrupted, but not what is no longer',
    known,
    [whole, [...whole.slice(0, 1), says('He        ', 'a1')]],
    withName,
  ],
  ['was interrupted, but not what still works', known, [whole, cut], shownCut],
  [
    'was interrupted, but not what has another id',
    [cut[0] as AnyUpdate, says('He', 'a0'), ...known.slice(2)],
    [whole],
    [...shownWhole.with(1, 'agent:a0 a0 live: Hello.')],
  ],
  [
    'was interrupted, and not the turn before',
    [
      cut[0] as AnyUpdate,
      call('t0', 'in_progress'),
      { sessionUpdate: 'unfinished_cancelled' },
      repeats('Go on.', 'u2'),
      ...known.slice(1),
    ],
    [[cut[0] as AnyUpdate, call('t0', 'completed'), repeats('Go on.', 'u2'), ...whole.slice(1)]],
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
    'was interrupted, and not one that failed for the agent',
    [...cut.slice(0, 2), call('t1', 'failed'), ...broken('interrupted')],
    [whole],
    shownWhole.with(2, 'tool:t1 live: failed'),
  ],
])('a replay completes the turn that %s', (_, before, parts, expected) => {
  expect(afterReplay(newHistory, before, [], ...parts).entries.map(lineOf)).toEqual(expected);
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
  const prints = (terminalId: string, said: string): AnyUpdate => ({
    sessionUpdate: 'terminal_output_chunk',
    terminalId,
    data: btoa(said),
  });
  const shows = (...ids: string[]) => ids.map((terminalId) => ({ type: 'terminal', terminalId }));
  const { terminals } = afterReplay(
    newHistory,
    [
      ...cut.slice(0, 2),
      call('t1', 'in_progress', shows('w1')),
      prints('w1', 'old'),
      prints('t2', 'old'),
      ...broken('interrupted'),
    ],
    [],
    [
      ...whole.slice(0, 2),
      call('t1', 'completed', shows('w1', 'w2')),
      call('t2', 'completed', shows('t2', 'w3', 'w4')),
      ...['w1', 'w2', 't2', 'w3', 'w5'].map((id) => prints(id, 'new')),
    ],
  );
  expect(Object.entries(terminals).map(([id, { output }]) => [id, output])).toEqual([
    ['w1', 'old'],
    ['t2', 'new'],
    ['w3', 'new'],
    ['w2', 'new'],
  ]);
});

test('a call that a replay completes keeps the output that its terminal has', () => {
  const prints = (output: string): AnyUpdate => ({
    sessionUpdate: 'terminal_output_chunk',
    terminalId: 'w1',
    data: btoa(output),
  });
  // The kind of the update stays.
  const call = { ...calls('t1'), content: [{ type: 'terminal', terminalId: 'w1' }] } as AnyUpdate;
  const done = { ...call, status: 'completed' } as AnyUpdate;
  const before = conversationOf(
    ...[repeats('Build.'), call, prints('built')],
    { sessionUpdate: 'unfinished_cancelled' },
    { sessionUpdate: 'turn_failed', cause: 'interrupted', reason: 'It ended.' },
  );
  const replayed = conversationOf(repeats('Build.'), done, prints('bu'));
  const { entries, terminals } = foldUpdates(before, [newHistory(before, before, replayed)]);
  expect(entries[1]).toMatchObject({ status: 'completed' });
  expect(terminals['w1']?.output).toBe('built');
});

test('what the user said while a history came stands behind it, and stays where nothing came', () => {
  const before = conversationOf(repeats('One.'), says('1'));
  const shown = foldUpdates(before, [
    { sessionUpdate: 'prompt_submitted', key: 'prompt:1', content: [{ type: 'text', text: 'Meanwhile.' }] },
  ]);
  const after = (...more: AnyUpdate[]) =>
    foldUpdates(shown, [newHistory(before, shown, conversationOf(repeats('One.'), says('1'), ...more))])
      .entries;
  const { 0: first, 1: second, 2: meanwhile } = shown.entries;
  expect(after()).toEqual([first, second, meanwhile]);
  expect(after()[2]).toBe(meanwhile);
  expect(after(repeats('Two.'), says('2'))).toMatchObject([
    first,
    second,
    { content: [{ text: 'Two.' }] },
    { content: [{ text: '2' }] },
    meanwhile,
  ]);
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
