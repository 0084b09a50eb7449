import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveTranscript } from '../../../src/cli/live.ts';
import { renderEntry } from '../../../src/cli/print-conversation.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import { emptyConversation, foldUpdate } from '../../support/fold-any.ts';

function start({ width = 40, color = false } = {}) {
  let conversation: Conversation = emptyConversation('s');
  let shown = '';
  const live = new LiveTranscript({
    color,
    width,
    async result(text) {
      shown += text;
    },
  });
  return {
    live,
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

test('a message is written line by line, wrapped at spaces', () => {
  const { take } = start({ width: 20 });
  expect(take(says('Good morning, dear'))).toBe('Agent\n');
  expect(take(says('est gu'))).toBe('Agent\n  Good morning,\n');
  expect(take(says('est of the house.\nSit'))).toBe(
    'Agent\n  Good morning,\n  dearest guest of\n  the house.\n',
  );
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
      const text = entry && renderEntry(atOnce.conversation(), entry, { color, width: 40 });
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

test('a tool call is announced, and written in full when it has finished', () => {
  const { take } = start();
  expect(take(tool('pending'))).toBe('○ Boil the water\n');
  expect(take(tool('in_progress'))).toBe('○ Boil the water\n');
  expect(take(tool('completed'))).toBe('○ Boil the water\n\n✓ Boil the water\n');
  expect(take(tool('completed'), says('Hot.\nVery'))).toMatch(/✓ Boil the water\n\nAgent\n {2}Hot\.\n$/);
});

test('an interrupted message continues under a new heading', async () => {
  const { take, finish } = start();
  expect(take(says('First. '), tool('pending'))).toBe('Agent\n  First.\n\n○ Boil the water\n');
  take(says('Second.'));
  expect(await finish()).toContain('Agent\n  First.\n\n○ Boil the water\n\nAgent\n  First. Second.\n');
});

test('lines that were written before are not repeated', () => {
  const { take } = start();
  take(says('One.\nTwo.\n'), tool('pending'));
  expect(take(says('Three.\nFour'))).toBe('Agent\n  One.\n  Two.\n\n○ Boil the water\n\nAgent\n  Three.\n');
});

test('a message that the agent replaces is written again', () => {
  const { take } = start();
  take(says('Tea.\nNow'));
  const coffee = { type: 'text', text: 'Coffee.\nLater' } as const;
  expect(take({ sessionUpdate: 'agent_message', messageId: 'm', content: [coffee] })).toBe(
    'Agent\n  Tea.\n  Now\n\nAgent\n  Coffee.\n',
  );
});

test('nothing is written while it is paused', () => {
  const { live, take } = start();
  take(says('One.\n'));
  live.pause();
  const paused = 'Agent\n  One.\n\n';
  expect(take(says('Two.\nThree'))).toBe(paused);
  live.resume();
  expect(take()).toBe(`${paused}Agent\n  Two.\n`);
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
