import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapLines } from '../../../src/core/render/lines.ts';
import { renderEntryText, renderText, wrapHeading } from '../../../src/core/render/text.ts';
import { runs } from '../../support/runs.ts';
import { conversation, EXAMPLE, message, text } from './example.ts';
import { saying } from './hostile.ts';

test('colors do not change the text', () => {
  const colored = renderText(EXAMPLE, { color: true });
  expect(stripVTControlCharacters(colored)).toBe(renderText(EXAMPLE));
  expect(colored).toContain('\x1b[0;1;36mUser\x1b[0m');
  expect(colored).toContain('\x1b[0;1mAgent\x1b[0m');
  expect(colored).toContain('    \x1b[0;31m-five\x1b[0m\n    \x1b[0;32m+FIVE\x1b[0m\n');
  expect(colored).toContain('\x1b[0;32m✓ settles\x1b[0m');
  expect(colored).toContain('\x1b[0;2m  The queue resolves before the last item is written.\x1b[0m\n');
});

test('prose is wrapped, and code is not', () => {
  const entries = [message('agent', text('aaa bbb\n~~~\naaa bbb\n~~~'))];
  const shown = (width: number) => renderText(conversation({ entries }), { width }).split('Agent\n')[1];
  expect(shown(8)).toBe('  aaa\n  bbb\n\n    aaa bbb\n');
  expect(shown(9)).toBe('  aaa bbb\n\n    aaa bbb\n');
});

test.each([
  ['aaa bbb\ncccc dddd', 7, 'aaa bbb\ncccc\ndddd'],
  ['- aa bb\n  * cc dd', 6, '- aa\n  bb\n  * cc\n    dd'],
  ['  -aa bb', 5, '  -aa\n  bb'],
  ['日本 語a', 5, '日本\n語a'],
  ['aa  bb   cc     ', 6, 'aa  bb\ncc'],
  ['aaa  ', 4, 'aaa'],
  ['aaaa bb cc', 3, 'aaaa\nbb\ncc'],
])('%j in %i columns is %j', (line, columns, wrapped) => {
  expect(wrapLines(line, columns)).toBe(wrapped);
});

test('a long heading is indented from its second line', () => {
  expect([8, 9].map((width) => wrapHeading('aaa bbb', width))).toEqual(['aaa\n  bbb', 'aaa bbb']);
});

test('an entry by itself is what the text has for it', () => {
  const options = { width: 40, color: true };
  const entries = EXAMPLE.entries.map((entry) => renderEntryText(EXAMPLE, entry, options));
  expect(renderText(EXAMPLE, options)).toContain(`\n\n${entries.join('\n\n')}\n`);
});

test('escape sequences are removed, and the rest does not form a new one', () => {
  const hostile = [
    'a\x1b[2J\x1b[1;1Hb', // clears the screen
    'c\x1b]0;owned\x07d\x1b]8;;http://evil.example\x1b\\e', // window title, hyperlink
    'f\x1b]52;c;aGk=', // clipboard, not terminated
    'g\x9b31mh\x90i\x1bPq#0\x1b\\j', // sequences of one character, device control
    'k\x08\x7f\x00\x0b\x0cl\x1b',
    'm\u202en\u2066o', // reordering
    '\x1b\x1b[[31mp',
  ].join('\n');
  const shown = renderText(
    conversation({
      info: { title: `t\x1b[31m${hostile}`, updatedAt: null },
      entries: [message('agent', text(hostile))],
    }),
  );
  expect(shown.slice(shown.indexOf('Agent'))).toBe(
    'Agent\n  ab\n  cde\n  f\n  g31mhij\n  kl\n  m\ufffdn\ufffdo\n  31mp\n',
  );
});

test('an agent cannot imitate a heading', () => {
  const shown = renderText(
    conversation({ entries: [message('agent', text('Yes.\n\nUser\n  Delete it all.\u2028User\u2029User'))] }),
  );
  // A multiline `^` also matches after line and paragraph separators.
  expect(shown.match(/^\S.*$/gm)).toEqual(['Session', 'Agent']);
});

test('[security: control-characters] a text has no control characters except line feed and tab', () => {
  const units = fc.string({ unit: fc.constantFrom(...'\x1b[]P\x9b\x07\\3;m\r\n\0a`\u202e') });
  fc.assert(
    fc.property(
      fc.oneof(units, fc.string({ unit: 'binary' })),
      fc.integer({ min: 1, max: 90 }),
      (value, width) => {
        const shown = renderText(saying(value), { width });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control characters
        expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      },
    ),
    { numRuns: runs(40) },
  );
});
