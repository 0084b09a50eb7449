import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acting } from '../unit/render/markdown-viewer.ts';

test('no text acts in a Markdown viewer that renders HTML', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '<',
      'b>',
      '`',
      '``',
      '```',
      '~~~',
      '\\',
      '!',
      '[',
      ']',
      '(',
      ')',
      ']:',
      'javascript:',
      '&#58;',
      '|',
      '---',
      '\n',
      '\n\n',
      ' ',
      '\t',
      '> ',
      '- ',
      '    ',
      '=',
      '# ',
      'https://a.example/',
      '"',
      'a',
      '*',
      '_',
    ),
  );
  fc.assert(
    fc.property(pieces, (value) => {
      expect(acting(value.join(''))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
