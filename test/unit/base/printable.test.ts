import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { printable } from '../../../src/core/base/printable.ts';
import { emptyConversation, foldUpdates } from '../../../src/core/conversation/fold.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { runs } from '../../support/runs.ts';

const tags = (text: string) =>
  [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
const endOfTags = '\u{e007f}';

describe('[security: hidden-text] text that is safe to print', () => {
  test.each([
    ['a zero-width space', 'rm\u200b -rf', 'rm -rf'],
    ['a byte order mark', '\ufeffa\ufeffb', 'ab'],
    ['a word joiner and invisible operators', 'a\u2060b\u2061c\u2064d', 'abcd'],
    ['a soft hyphen', 'a\u00adb', 'ab'],
    ['fillers', 'a\u3164b\uffa0c\u115f\u1160d\u034fe', 'abcde'],
    ['text in tag characters', `Read a file${tags('and delete it')}`, 'Read a file'],
    ['text in tag characters after a flag', `\u{1f3f4}${tags('gbxyz')}${endOfTags}!`, '\u{1f3f4}!'],
    ['text in variation selectors', 'a\ufe00\ufe01\u{e0100}\u{e01ef}b', 'a\ufe00b'],
    ['a variation selector without a character', '\ufe0fa \ufe0fb', 'a b'],
    ['text in joiners', 'a\u200c\u200db\u200cc', 'abc'],
    ['joiners between an emoji and a letter', '\u{1f469}\u200da\u200d\u{1f469}', '\u{1f469}a\u{1f469}'],
    [
      'more than one joiner',
      '\u{1f469}\u200d\u200d\u{1f4bb} می\u200c\u200cخ',
      '\u{1f469}\u{1f4bb} می\u200cخ',
    ],
    ['direction marks in text from left to right', 'a\u200e/\u200fb\u061cc', 'a/bc'],
    ['repeated direction marks', 'א\u200f\u200f\u200e\u200b\u200fב', 'א\u200fב'],
    ['a shorthand format control, and a musical one', 'a\u{1bca0}b\u{1d173}c', 'abc'],
  ])('has no %s', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test.each([
    ['an emoji family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['an emoji with a skin tone and a profession', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'],
    ['a couple with a heart', '\u{1f469}\u200d\u2764\ufe0f\u200d\u{1f468}'],
    ['a rainbow flag, and a pirate flag', '\u{1f3f3}\ufe0f\u200d\u{1f308} \u{1f3f4}\u200d\u2620\ufe0f'],
    ['flags of countries', '\u{1f1f0}\u{1f1f7}\u{1f1e7}\u{1f1f7}'],
    ['the flag of England', `\u{1f3f4}${tags('gbeng')}${endOfTags}`],
    [
      'the flags of Scotland and Wales',
      ['gbsct', 'gbwls'].map((name) => `\u{1f3f4}${tags(name)}${endOfTags}`).join(''),
    ],
    ['a keycap, and a colored sign', '1\ufe0f\u20e3 \u26a0\ufe0f'],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['an Arabic letter with a joiner', 'ه\u200d'],
    ['Hindi with a joiner and a non-joiner', 'क्\u200dष क्\u200cष'],
    ['Malayalam and Sinhala with joiners', 'ന്\u200d ක්\u200dෂ'],
    ['Mongolian with a variant and a vowel separator', '\u182d\u180b \u1828\u180e\u1820'],
    ['a variant of a Chinese character', '\u845b\u{e0100}'],
    ['Hebrew and Arabic with direction marks', 'שלום C++\u200f! العربية\u061c(\u200e1)'],
    ['Thai, Korean and Vietnamese', 'ภาษาไทย 한국어 Tiếng Việt'],
    ['tabs and line feeds', 'a\tb\nc'],
  ])('keeps %s', (_, text) => {
    expect(printable(text)).toBe(text);
  });

  test('takes linear time for text of invisible characters only', () => {
    const length = runs(200_000);
    for (const part of [
      '\u200d',
      'a\u200d',
      '\ufe0f\u200d',
      '\u200f',
      'א\u200f',
      '\u{e0067}',
      '\u{1f3f4}\u{e0067}',
      '\u0e01\u200d',
    ]) {
      // Quadratic time would be minutes, beyond the time limit of a test.
      expect(printable(part.repeat(length)).length).toBeLessThanOrEqual(part.length * length);
    }
  });

  test('is what errors and rendered transcripts contain', () => {
    const hidden = `Open\u200b it${tags('delete')}`;
    expect(new InvalidParamsError(hidden).message).toBe('Open it');
    const conversation = foldUpdates(emptyConversation('s1'), [
      { sessionUpdate: 'tool_call', toolCallId: 't1', title: hidden } as never,
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: hidden } } as never,
    ]);
    for (const render of [renderText, renderMarkdown, renderHtml]) {
      const shown = render(conversation);
      expect(shown.split('Open it').length).toBe(3);
      expect(shown).not.toMatch(/[\u200b\u{e0000}-\u{e007f}]/u);
    }
  });

  test('is the same after a second time', () => {
    const text = `a\u200b\u200d\ufe0f\u{1f3f4}${tags('gb')}\u200f\u200d\u{1f469}א\u200b\u200f\ufe0f`;
    expect(printable(printable(text))).toBe(printable(text));
  });
});
