import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnyUpdate } from '../../../../src/model/client-update.ts';
import type { ContentBlock } from '../../../../src/model/content.ts';
import type { MessageEntry } from '../../../../src/model/conversation.ts';
import { GrowingText } from '../../../../src/programs/cli/growing-text.ts';
import { renderEntryText } from '../../../../src/render/text.ts';
import { createConversationStore, emptyConversation } from '../../../support/fold-any.ts';

const options = { color: false, width: 40 };

/** A message of the agent that grows by blocks. */
function start(first: ContentBlock, { width, color } = options) {
  const store = createConversationStore(emptyConversation('s'));
  const add = (content: ContentBlock) =>
    store.apply({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content } as AnyUpdate);
  const message = () => store.getSnapshot().entries[0] as MessageEntry;
  add(first);
  let growing = new GrowingText(store.getSnapshot(), message(), { width, color });
  let settled = '';
  return {
    growing: () => growing,
    settled: () => settled,
    whole: () => renderEntryText(store.getSnapshot(), message(), { width, color }),
    /** Adds blocks, and settles what is settled of the part that is written. */
    take(blocks: readonly ContentBlock[], written = 1) {
      for (const block of blocks) add(block);
      if (!growing.grow(store.getSnapshot(), message())) {
        settled = '';
        growing = new GrowingText(store.getSnapshot(), message(), { width, color });
      }
      const { text } = growing;
      settled += text.slice(0, growing.settle(Math.floor(text.length * written)));
    },
  };
}

const text = (text: string): ContentBlock => ({ type: 'text', text });

const lines = ['word ', 'a line\n', 'ends in a space \n', '\n', ' ', '- item\n', '  indented\n', '\u00a0x\n'];
const fences = ['```\n', '```js\n', '~~~\n', '```', '`', '~~~~\n', 'x'.repeat(30)];
const strange = [
  '\x1b[31m',
  '\x1b',
  '[2J',
  '\x1b]0;t',
  '\x07',
  '\u2028',
  '\u2029x\n',
  '\r\n',
  '\u{1f3f4}',
  '\ud83d',
];
const marks = [
  '\u05d0\u05d1 ',
  '\u0627\u200d',
  '\u200e',
  '\u200f',
  '\u061c',
  '\ufe0f',
  '\u202e',
  '\u200d',
  '茶',
];
const piece = fc
  .array(fc.constantFrom(...lines, ...lines, ...fences, ...strange, ...marks), { minLength: 1, maxLength: 8 })
  .map((pieces) => text(pieces.join('')));
const note = piece.map((block): ContentBlock => ({ ...block, annotations: { priority: 1 } }));
const image = fc.constant<ContentBlock>({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
const block = fc.oneof(
  { weight: 20, arbitrary: piece },
  { weight: 1, arbitrary: note },
  { weight: 2, arbitrary: image },
);

test('what is settled and what follows it are the text of the whole message', () => {
  const versions = fc.array(
    fc.record({
      blocks: fc.array(block, { minLength: 1, maxLength: 3 }),
      written: fc.constantFrom(0, 0.5, 1),
    }),
    { maxLength: 12 },
  );
  const settings = fc.record({
    color: fc.boolean(),
    width: fc.constantFrom(15, 40, Number.POSITIVE_INFINITY),
  });
  fc.assert(
    fc.property(block, versions, settings, (first, versions, settings) => {
      const message = start(first, settings);
      for (const { blocks, written } of versions) {
        message.take(blocks, written);
        expect(message.settled() + message.growing().text).toBe(message.whole());
      }
      const start_ = message.settled();
      expect(message.growing().unsettle()).toBe(start_);
      expect(message.growing().text).toBe(message.whole());
    }),
    { numRuns: 150 },
  );
});

test('lines are settled in paragraphs and in code, and blocks when others follow', () => {
  const message = start(text('One.\n'));
  message.take([text('Two.\n\nThree.\nFou')]);
  expect(message.growing().text).toBe('  Three.\n  Fou');
  message.take([text('r.\n```\na\nb\nc')]);
  expect(message.growing().text).toBe('    b\n    c');
  message.take([text('\n```\nFive.\nSix.\nSeven')]);
  expect(message.growing().text).toBe('  Six.\n  Seven');
  const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  message.take([image, image]);
  expect(message.growing().text).toBe('  image/png 3 bytes');
});

test('text that is not written stays', () => {
  const message = start(text('One.\n'));
  message.take([text('Two.\nThree.')], 0);
  expect(message.growing().text).toBe('Agent\n  One.\n  Two.\n  Three.');
});

test('a mark of direction can change what was settled: such a message is not settled by lines', () => {
  const message = start(text('One.\n'));
  message.take([text('Two.\nThree.\n')]);
  expect(message.settled()).not.toBe('');
  message.take([text('Four\u200e\n')]);
  expect(message.settled()).toBe('');
  message.take([text('\u05d0\n')]);
  expect(message.growing().text).toBe('Agent\n  One.\n  Two.\n  Three.\n  Four\u200e\n  \u05d0');
});

test('a long end that cannot be settled is rendered less often the longer it is, and whole at its end', () => {
  const message = start(text(''));
  let rendered = 0;
  let before = message.growing().text;
  for (let count = 0; count < 1000; count++) {
    message.take([text('word '.repeat(100))]);
    if (message.growing().text !== before) rendered++;
    before = message.growing().text;
  }
  expect(rendered).toBeGreaterThan(20);
  expect(rendered).toBeLessThan(250);
  expect(message.growing().isBehind).toBe(true);
  expect(message.growing().end()).toBe(true);
  expect(message.growing().text.length).toBe(message.whole().length);
  message.take([text('more')]);
  expect(message.growing().end()).toBe(false);
  message.growing().update();
  expect(message.growing().text.endsWith('more')).toBe(true);
});
