import fc from 'fast-check';
import { expect } from 'vitest';
import { acting } from '../unit/render/hostile.ts';

const marks = '< b> ` `` ``` ~~~ \\ ! [ ] ( ) ]: javascript: &#58; | --- = https://a.example/ " a * _'.split(
  ' ',
);
const spaces = ['\n', '\n\n', ' ', '\t', '> ', '- ', '    ', '# '];

/** No text acts in a Markdown viewer that renders HTML. */
export const nothingActs = fc.property(fc.array(fc.constantFrom(...marks, ...spaces)), (pieces) => {
  expect(acting(pieces.join(''))).toEqual([]);
});
