import { expect, test } from 'vitest';
import { namesOf } from '../../../../src/programs/cli/commands/inspect-web.ts';

test.each([
  [['a/tea.ndjson'], ['tea.ndjson']],
  [
    ['a/tea.ndjson', 'a/coffee.ndjson'],
    ['tea.ndjson', 'coffee.ndjson'],
  ],
  [
    ['before/tea.ndjson', 'after/tea.ndjson'],
    ['before/tea.ndjson', 'after/tea.ndjson'],
  ],
  [
    ['/x/before/run/tea.ndjson', '/x/after/run/tea.ndjson'],
    ['before/run/tea.ndjson', 'after/run/tea.ndjson'],
  ],
  [
    ['tea.ndjson', 'tea.ndjson'],
    ['tea.ndjson', 'tea.ndjson'],
  ],
])('the recordings %j have these names', (paths, expected) => {
  expect(namesOf(paths)).toEqual(expected);
});
