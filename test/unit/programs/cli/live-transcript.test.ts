import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnyUpdate } from '../../../../src/model/client-update.ts';
import type { Conversation } from '../../../../src/model/conversation.ts';
import { LiveTranscript } from '../../../../src/programs/cli/live.ts';
import { renderEntryText } from '../../../../src/render/text.ts';
import { emptyConversation, foldUpdate } from '../../../support/fold-any.ts';

function start({ width = 40, color = false } = {}) {
  let conversation: Conversation = emptyConversation('s');
  let shown = '';
  const output = {
    color,
    width,
    async result(text: string) {
      shown += text;
    },
  };
  const live = new LiveTranscript(output);
  return {
    live,
    resize(columns: number) {
      output.width = columns;
    },
    conversation: () => conversation,
    take(...updates: readonly AnyUpdate[]): string {
      for (const update of updates) conversation = foldUpdate(conversation, update);
      live.show(conversation);
      return shown;
    },
    async finish(): Promise<string> {
      await live.finish(conversation);
      return shown;
    },
  };
}

const says = (text: string, messageId = 'm'): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});
const tool = (status: string): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't',
  title: 'Boil the water',
  status,
});

test('a message is written word by word, wrapped at spaces', () => {
  const { take } = start({ width: 20 });
  expect(take(says('Good'))).toBe('Agent\n');
  expect(take(says(' morning, dear'))).toBe('Agent\n  Good morning,');
  expect(take(says('est gu'))).toBe('Agent\n  Good morning,\n  dearest');
  expect(take(says('est of the house.\nSit'))).toBe(
    'Agent\n  Good morning,\n  dearest guest of\n  the house.',
  );
});

test('a thought with a color is written line by line: the end of the color moves with the line', () => {
  const { take } = start({ width: 20, color: true });
  const thinks = (text: string): AnyUpdate => ({
    sessionUpdate: 'agent_thought_chunk',
    messageId: 'm',
    content: { type: 'text', text },
  });
  const heading = take(thinks('Where is the'));
  expect(heading).not.toContain('Where');
  expect(take(thinks(' kettle of the house?')).endsWith('kettle of the\x1b[0m')).toBe(true);
});

test('the written text of a message does not depend on its chunks', async () => {
  const pieces = fc.array(
    fc.constantFrom('a', 'word ', ' ', '\n', '茶', '- ', '\x1b[31m', '\x1b', '[2J', 'x'.repeat(30)),
    { minLength: 1 },
  );
  await fc.assert(
    fc.asyncProperty(pieces, fc.boolean(), async (parts, color) => {
      const inChunks = start({ color });
      for (const part of parts) inChunks.take(says(part));
      const atOnce = start({ color });
      atOnce.take(says(parts.join('')));
      const shown = await inChunks.finish();
      expect(shown).toBe(await atOnce.finish());
      const [entry] = atOnce.conversation().entries;
      const text = entry && renderEntryText(atOnce.conversation(), entry, { color, width: 40 });
      if (text?.includes('\n')) expect(shown.startsWith(`${text}\n\n`)).toBe(true);
    }),
  );
});

test('the prompt is left out: the user has just typed it', () => {
  const { take } = start();
  expect(
    take({ sessionUpdate: 'prompt_submitted', key: 'k', content: [{ type: 'text', text: 'Tea!' }] }),
  ).toBe('');
});

test('a message that is only announced is not written, and is when it has words', async () => {
  const { take, finish } = start();
  expect(take(says(''), tool('completed'))).toBe('✓ Boil the water\n');
  take(says('Ready.'));
  expect(await finish()).toContain('✓ Boil the water\n\nAgent\n  Ready.\n');
  const never = start();
  never.take(says(''));
  expect(await never.finish()).not.toContain('Agent');
});

test('a tool call is written once, when it has finished, and has a name for the status while it runs', () => {
  const { live, take } = start();
  expect(take(tool('pending'))).toBe('');
  expect(take(tool('in_progress'))).toBe('');
  expect(live.runningTool).toBe('Boil the water');
  expect(take(tool('completed'))).toBe('✓ Boil the water\n');
  expect(live.runningTool).toBeUndefined();
  expect(take(tool('completed'), says('Hot.\nVery'))).toMatch(/✓ Boil the water\n\nAgent\n {2}Hot\.$/);
});

test('a tool call that a question has shown in full takes one line', () => {
  const { live, take, conversation } = start();
  const edit = (status: string): AnyUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't',
    title: 'Boil the water',
    status,
    content: [{ type: 'content', content: { type: 'text', text: 'what it does' } }],
  });
  take(edit('pending'));
  const [entry] = conversation().entries;
  if (entry) live.asked(entry);
  expect(take(edit('completed'))).toBe('✓ Boil the water\n');
});

test('the cursor is at the start of a line when something else can be shown', () => {
  const { live, take } = start();
  take(says('One two'));
  expect(live.isLineOpen).toBe(true);
  take(tool('in_progress'));
  expect(live.isLineOpen).toBe(false);
});

test('an interrupted message continues under a new heading', async () => {
  const { take, finish } = start();
  expect(take(says('First. '), tool('pending'))).toBe('Agent\n  First.\n\n');
  take(says('Second.'), tool('completed'));
  expect(await finish()).toContain('Agent\n  First.\n\nAgent\n  First. Second.\n\n✓ Boil the water\n');
});

test('what comes after the user cancelled the turn is written once', async () => {
  const { live, take, finish } = start();
  expect(take(says('One.\nTwo and'))).toBe('Agent\n  One.\n  Two');
  expect(live.cancel()).toBe(true);
  const before = take();
  expect(before).toBe('Agent\n  One.\n  Two and\n\n');
  expect(take(says(' three.\nFour.'))).toBe(`${before}Agent\n  … three.`);
  expect(await finish()).toContain(`${before}Agent\n  … three.\n  Four.\n`);
  const whole = start();
  whole.take(says('One.'));
  whole.live.cancel();
  expect(whole.take(says('\nTwo.\nThree'))).toBe('Agent\n  One.\n\nAgent\n  Two.');
  expect(start().live.cancel()).toBe(false);
});

test('lines that were written before are not repeated', () => {
  const { take } = start();
  take(says('One.\nTwo.\n'), tool('pending'));
  expect(take(says('Three.\nFour'))).toBe('Agent\n  One.\n  Two.\n\nAgent\n  Three.');
});

test('a message that the agent replaces is written again', () => {
  const { take } = start();
  take(says('Tea.\nNow'));
  const coffee = { type: 'text', text: 'Coffee.\nLater' } as const;
  expect(take({ sessionUpdate: 'agent_message', messageId: 'm', content: [coffee] })).toBe(
    'Agent\n  Tea.\n  Now\n\nAgent\n  Coffee.',
  );
});

test('nothing is written while it is paused', () => {
  const { live, take } = start();
  take(says('One.\n'));
  live.pause();
  const paused = 'Agent\n  One.\n\n';
  expect(take(says('Two.\nThree'))).toBe(paused);
  live.resume();
  expect(take()).toBe(`${paused}Agent\n  Two.`);
});

test('it ends with the incomplete tool calls and the section of the session', async () => {
  const { take, finish } = start();
  take(tool('in_progress'), says('So'), {
    sessionUpdate: 'state_update',
    state: 'idle',
    stopReason: 'refusal',
  });
  const end = await finish();
  expect(end).toContain('○ Boil the water (in progress)\n');
  expect(end).toMatch(/So\n[\s\S]*s · refusal\n$/);
});

test('the history of a session that continues is not written', async () => {
  let conversation = emptyConversation('s');
  for (const update of [says('Old.\n', 'old'), tool('in_progress')])
    conversation = foldUpdate(conversation, update);
  let shown = '';
  const live = new LiveTranscript({
    color: false,
    width: 40,
    async result(text) {
      shown += text;
    },
  });
  live.skip(conversation);
  conversation = foldUpdate(conversation, says('New.', 'new'));
  await live.finishTurn(conversation);
  expect(shown).toBe('Agent\n  New.\n\n');
});

test('a turn ends with the incomplete tool calls, and with the plans if they have changed', async () => {
  const { live, take, conversation } = start();
  take(says('One.', 'one'), tool('in_progress'), {
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId: 'p', entries: [{ content: 'Pour', priority: 'low', status: 'pending' }] },
  });
  await live.finishTurn(conversation());
  const first = 'Agent\n  One.\n\n○ Boil the water (in progress)\n\nPlan\n  - [ ] Pour\n\n';
  expect(take()).toBe(first);
  take(says('Two.', 'two'));
  await live.finishTurn(conversation());
  expect(take()).toBe(`${first}Agent\n  Two.\n\n`);
});

test('when the width changes, a message goes on in a line of its own that fits', () => {
  const { take, resize } = start({ width: 60 });
  expect(take(says('Good morning, dearest guest of'))).toBe('Agent\n  Good morning, dearest guest');
  resize(20);
  expect(take(says(' the house.\n\nSit down and rest.'))).toBe(
    'Agent\n  Good morning, dearest guest\n  of\n  the house.\n\n  Sit down and',
  );
});

test('a thought with a color goes on in its color when the width changes', () => {
  const { take, resize } = start({ width: 30, color: true });
  const thinks = (text: string): AnyUpdate => ({
    sessionUpdate: 'agent_thought_chunk',
    messageId: 'm',
    content: { type: 'text', text },
  });
  const before = take(thinks('One two three four five six seven eight'));
  expect(before).toContain('\x1b[0;2m  One two three four five six\x1b[0m');
  resize(60);
  const after = take(thinks(' nine\nten')).slice(before.length);
  expect(after).toBe('\n\x1b[0;2m  seven eight nine\x1b[0m');
});

test('whatever the widths are, no word is lost, and what is new fits', async () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  const part = fc.record({
    words: fc.array(word, { minLength: 1, maxLength: 12 }),
    width: fc.integer({ min: 15, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), fc.boolean(), async (parts, color) => {
      const { take, resize, finish } = start({ color });
      for (const { words, width } of parts) {
        resize(width);
        const before = take().length;
        const added = take(says(`${words.join(' ')} `)).slice(before);
        for (const line of added.split('\n').slice(1))
          expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(width);
      }
      const shown = stripVTControlCharacters(await finish());
      const said = parts.flatMap(({ words }) => words);
      expect(shown.split(/\s+/).slice(0, said.length + 1)).toEqual(['Agent', ...said]);
    }),
  );
});

test('the title of a tool call that a question has shown stays whole on a narrow terminal', async () => {
  const { live, conversation, take, finish } = start({ width: 20 });
  const titled = (status: string): AnyUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't',
    title: 'Boil the water for the tea',
    status,
    content: [{ type: 'content', content: { type: 'text', text: 'It boils.' } }],
  });
  take(titled('pending'));
  const entry = conversation().entries.at(-1);
  if (entry) live.asked(entry);
  take(titled('completed'));
  expect(await finish()).toMatch(/^✓ Boil the water\n {2}for the tea\n\nSession/);
});

test('spaces and line feeds are written when a word follows, however many there are', async () => {
  const { take, finish } = start({ width: 20 });
  take(says(`Begin${' '.repeat(200_000)}`));
  expect(take(says(`end${'\n'.repeat(3)}`))).toContain('Begin');
  const whole = await finish();
  expect(whole.replace(/\s/g, '')).toContain('AgentBeginend');
});

test('a very long line that was interrupted is repeated from near its end only', () => {
  const { take } = start({ width: Number.POSITIVE_INFINITY });
  const before = take(says(`${'word '.repeat(2000)}last`), tool('pending')).length;
  const added = take(says(' and more than that')).slice(before);
  expect(added.length).toBeLessThan(3000);
  expect(added).toMatch(/^Agent\n {2}… [^\n]*word last and more than$/);
  take(tool('in_progress'), says(' 茶'.repeat(5000)), tool('pending'));
  expect(take(says(' end of it'))).toMatch(/茶 end of$/);
});

test('a width that changes back before anything is written leaves nothing out', async () => {
  const { take, resize, finish } = start({ width: 60 });
  take(says('One two three four \n'));
  resize(10);
  take({ sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'text', text: 'Five' }] });
  resize(60);
  expect(await finish()).toContain('Five');
});

test('the end of a long line that was not written yet follows when other output comes, in its place', () => {
  const { take } = start({ width: Number.POSITIVE_INFINITY });
  const word = 'word '.repeat(20_000);
  let count = 0;
  for (; count < 40; count++) take(says(word));
  const shown = take(says('last'), tool('completed'), says('Next. One', 'n'));
  expect(shown.match(/word/g)?.length).toBe(20_000 * count);
  expect(shown).toMatch(/word last\n\n✓ Boil the water\n\nAgent\n {2}Next\.$/);
});

test('two long lines that grow in turns are written whole at the end, and in few pieces before', async () => {
  const { take, finish } = start({ width: Number.POSITIVE_INFINITY });
  const words = (name: string) => `${name} `.repeat(5000);
  let pieces = 0;
  let before = 0;
  for (let count = 0; count < 100; count++) {
    const { length } = take(says(words('one'), '1'), says(words('two'), '2'));
    if (length > before) pieces++;
    before = length;
  }
  expect(pieces).toBeLessThan(70);
  const shown = await finish();
  expect(shown.length).toBeLessThan(2 * 100 * 5000 * 4 + 1_000_000);
  expect(shown.match(/one/g)?.length).toBeGreaterThanOrEqual(100 * 5000);
  expect(shown.match(/two/g)?.length).toBeGreaterThanOrEqual(100 * 5000);
});
