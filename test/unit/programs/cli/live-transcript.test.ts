import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventObserver } from '../../../../src/core/conversation/events.ts';
import { emptyConversation } from '../../../../src/core/conversation/fold.ts';
import { createSessionStore } from '../../../../src/core/conversation/store.ts';
import type { AnyUpdate } from '../../../../src/core/model/client-update.ts';
import type { ContentBlock } from '../../../../src/core/model/content.ts';
import type { ConversationEvent } from '../../../../src/core/model/event.ts';
import { LiveTranscript } from '../../../../src/programs/cli/live.ts';

function start({ width = 40, color = false } = {}) {
  const store = createSessionStore(emptyConversation('s'));
  let shown = '';
  const output = {
    color,
    width,
    isLineOpen: false,
    async result(text: string) {
      shown += text;
      output.isLineOpen = !text.endsWith('\n');
    },
  };
  const live = new LiveTranscript(output);
  const session = {
    get conversation() {
      return store.getSnapshot();
    },
    onEvent: (listener: (event: ConversationEvent) => void) => {
      store.observe(eventObserver(listener));
      return () => {};
    },
  };
  live.follow(session);
  return {
    live,
    session,
    /** An update of the history. */
    replay: (update: AnyUpdate) => store.apply(update, 'replay'),
    /** As a diagnostic does on the same terminal. */
    endLine: () => output.result('\n'),
    conversation: () => store.getSnapshot(),
    async take(...updates: readonly AnyUpdate[]): Promise<string> {
      for (const update of updates) store.apply(update);
      await Promise.resolve();
      return shown;
    },
    async finish(): Promise<string> {
      await live.finish(store.getSnapshot());
      return shown;
    },
  };
}

const text = (text: string): ContentBlock => ({ type: 'text', text });
const says = (said: string, messageId: string | null = 'm'): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: text(said),
});
const picture: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const image: AnyUpdate = { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: picture };
const replaces = (...content: readonly ContentBlock[]): AnyUpdate => ({
  sessionUpdate: 'agent_message',
  messageId: 'm',
  content,
});
const tool = (status: string): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't',
  title: 'Boil the water',
  status,
});

test.each<[name: string, pieces: readonly string[], shown: string]>([
  ['a color', ['a\x1b', '[3', '1mb'], 'ab'],
  ['a color that other output follows', ['a\x1b[3', '1m'], 'a'],
  ['a title without an end', ['a\x1b]0;ti', 'tle\nb'], 'a\n  b'],
  ['a sequence without an end', ['a\x1b[3'], 'a'],
  ['parameters that no terminal knows', [`a\x1b[${'0'.repeat(65)}`, 'b'], `a${'0'.repeat(65)}b`],
  ['a character', ['a\ud83d', '\udc11b'], 'a🐑b'],
  ['joined characters', ['👩', '\u200d', '💻'], '👩\u200d💻'],
  [
    'a flag',
    ['🏴\u{e0067}\u{e0062}\u{e0065}', '\u{e006e}\u{e0067}\u{e007f}'],
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ],
  ['a change of direction', ['a', '\u202e', 'b'], 'a\ufffdb'],
  ['a mark of direction in text from right to left', ['\u05d0', '\u200f', '!'], '\u05d0\u200f!'],
  ['CRLF', ['a\r', '\nb'], 'a\n  b'],
  ['a line that is overwritten', ['a', 'b\rc'], 'ac'],
  ['blank lines', ['\n\n a \n', '\n', 'b\n\n'], 'a \n\n  b'],
  ['Markdown', ['```js\n  x', '\n```', ' \n- y'], '```js\n    x\n  ``` \n  - y'],
])('a message in pieces, without the title of the session: %s', async (_, pieces, shown) => {
  const { take, finish } = start();
  await take({ sessionUpdate: 'session_info_update', title: 'Tea' });
  for (const piece of pieces) await take(says(piece));
  expect(await finish()).toBe(`Agent\n  ${shown}\n\nSession\n  s\n`);
});

test('each piece is written when it comes, however long its line is', async () => {
  const { take } = start({ width: 10 });
  expect(await take(says('Good'))).toBe('Agent\n  Good');
  expect(await take(says(' morning, '))).toBe('Agent\n  Good morning,');
  expect(await take(says('dear'))).toBe('Agent\n  Good morning, dear');
});

test('the written text of a message does not depend on its chunks', async () => {
  const controls = ['\x1b[31m', '\x1b', '[2J', '\x1b]0;t', '\x07', '\x9b', '\u202e', '\ud83d', '\udc11'];
  const pieces = fc.array(
    fc.constantFrom('a', 'word ', ' ', '\n', '茶', '👩', '\u200d', '\ufe0f', ...controls),
    { minLength: 1 },
  );
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const inChunks = start();
      for (const part of parts) await inChunks.take(says(part));
      const atOnce = start();
      await atOnce.take(says(parts.join('')));
      const shown = await inChunks.finish();
      expect(shown).toBe(await atOnce.finish());
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the text must have none
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }),
  );
});

test('a thought has its color in each piece', async () => {
  const { take } = start({ color: true });
  const thinks = (text: string): AnyUpdate =>
    ({ ...says(text), sessionUpdate: 'agent_thought_chunk' }) as AnyUpdate;
  const before = await take(thinks('Where is'));
  expect(before.split('\n')[1]).toBe('\x1b[0;2m  Where is\x1b[0m');
  expect((await take(thinks(' the\nkettle'))).slice(before.length)).toBe(
    '\x1b[0;2m the\x1b[0m\n\x1b[0;2m  kettle\x1b[0m',
  );
});

const done = tool('completed');
const boiled = '✓ Boil the water\n';
const one = 'Agent\n  One\n\n';
const typed: AnyUpdate = { sessionUpdate: 'prompt_submitted', key: 'k', content: [text('Tea!')] };
const whole = replaces(text('One'), { ...picture }, text('Two'));

test.each<[name: string, updates: readonly AnyUpdate[], shown: string]>([
  ['a tool call', [says('One '), done, says('two\nend')], `${one}${boiled}\nAgent\n  … two\n  end`],
  ['a tool call that runs', [says('One'), tool('pending'), says(' two')], `${one}Agent\n  … two`],
  ['a tool call, without ids', [says('One', null), done, says('Two', null)], `${one}${boiled}\nAgent\n  Two`],
  ['a cut sequence', [says('One\x1b[3'), done, says('1m two')], `${one}${boiled}\nAgent\n  … two`],
  ['another one', [says('One'), says('1', 'n'), says(' two')], `${one}Agent\n  1\n\nAgent\n  … two`],
  ['other text', [says('One'), replaces(text('Two'))], `${one}Agent\n  Two`],
  ['a call and other text', [says('One'), done, replaces(text('Two'))], `${one}${boiled}\nAgent\n  Two`],
  ['a whole that has more', [says('One'), image, whole], `${one}  image/png 3 bytes\n\n  Two`],
  ['an image', [says('One\n'), image, says('Two')], `${one}  image/png 3 bytes\n\n  Two`],
  ['a call and an image', [says('One'), done, image], `${one}${boiled}\nAgent\n  image/png 3 bytes`],
  ['blank texts only', [says(''), says(' \n\u200b'), done], boiled],
  ['words after blank texts', [says(' '), done, says('\nReady')], `${boiled}\nAgent\n  Ready`],
  ['the prompt of the user', [typed], ''],
])('a message and %s', async (_, updates, shown) => {
  const { take } = start();
  for (const update of updates) await take(update);
  expect(await take()).toBe(shown);
});

test('a tool call is written once, when it has finished, and has a name for the status while it runs', async () => {
  const { live, take } = start();
  expect(await take(tool('pending'))).toBe('');
  expect(await take(tool('in_progress'))).toBe('');
  expect(live.runningTool).toBe('Boil the water');
  expect(await take(tool('completed'))).toBe('✓ Boil the water\n');
  expect(live.runningTool).toBeUndefined();
  expect(await take(tool('completed'))).toBe('✓ Boil the water\n');
});

test('a tool call that a question has shown in full takes its title only, which stays whole', async () => {
  const { live, take, conversation, finish } = start({ width: 20 });
  const titled = (status: string): AnyUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't',
    title: 'Boil the water for the tea',
    status,
    content: [{ type: 'content', content: text('It boils.') }],
  });
  await take(titled('pending'));
  const entry = conversation().entries.at(-1);
  if (entry) live.asked(entry);
  await take(titled('completed'));
  expect(await finish()).toMatch(/^✓ Boil the water\n {2}for the tea\n\nSession/);
});

test('the cursor is at the start of a line when something else can be shown', async () => {
  const { live, take } = start();
  await take(says('One two'));
  expect(live.isLineOpen).toBe(true);
  await take(tool('in_progress'));
  expect(live.isLineOpen).toBe(false);
});

test('a message goes on in a line of its own after a diagnostic', async () => {
  const { take, endLine } = start();
  await take(says('One'));
  await endLine();
  expect(await take(says(' two'))).toBe('Agent\n  One\n  … two');
});

test('what comes after the user cancelled the turn is written once', async () => {
  const { live, take, finish } = start();
  expect(live.cancel()).toBe(false);
  await take(says('One.\nTwo and'));
  expect(live.cancel()).toBe(true);
  const before = 'Agent\n  One.\n  Two and\n\n';
  expect(await take()).toBe(before);
  await take(says(' three.\nFour.'));
  expect(await finish()).toContain(`${before}Agent\n  … three.\n  Four.\n`);
});

test('nothing is written while it is paused', async () => {
  const { live, take } = start();
  await take(says('One.\n'));
  live.pause();
  expect(await take(says('Two.\n'), says('Three'))).toBe('Agent\n  One.\n\n');
  live.resume();
  expect(await take()).toBe('Agent\n  One.\n\nAgent\n  … Two.\n  Three');
});

test('another conversation can have the same keys', async () => {
  const { live, session, take } = start();
  await take(says('One'));
  live.follow(session);
  expect(await take(says('Two'))).toBe('Agent\n  One\n\nAgent\n  Two');
});

test('it ends with the incomplete tool calls and the section of the session', async () => {
  const { take, finish } = start();
  await take(tool('in_progress'), says('So'), {
    sessionUpdate: 'state_update',
    state: 'idle',
    stopReason: 'refusal',
  });
  const end = await finish();
  expect(end).toContain('○ Boil the water (in progress)\n');
  expect(end).toMatch(/So\n[\s\S]*s · refusal\n$/);
});

test('the history of a session is not written, and what follows it is', async () => {
  const { live, take, replay, conversation } = start();
  replay(says('Old.', 'old'));
  replay(tool('in_progress'));
  await take(says('New.', 'new'));
  await live.finishTurn(conversation());
  expect(await take()).toBe('Agent\n  New.\n\n');
});

test('a turn ends with the incomplete tool calls, and with the plans if they have changed', async () => {
  const { live, take, conversation } = start();
  await take(says('One.', 'one'), tool('in_progress'), {
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId: 'p', entries: [{ content: 'Pour', priority: 'low', status: 'pending' }] },
  });
  await live.finishTurn(conversation());
  const first = 'Agent\n  One.\n\n○ Boil the water (in progress)\n\nPlan\n  - [ ] Pour\n\n';
  expect(await take()).toBe(first);
  await take(says('Two.', 'two'));
  await live.finishTurn(conversation());
  expect(await take()).toBe(`${first}Agent\n  Two.\n\n`);
});
