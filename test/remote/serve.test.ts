import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the example has at most 98 lines of code', () => {
  const lines = readFileSync(new URL('../../docs/examples/serve/serve.mjs', import.meta.url), 'utf8').split(
    '\n',
  );
  const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line));
  expect(code.length).toBeLessThanOrEqual(98);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});
