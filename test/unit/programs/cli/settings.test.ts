import { expect, test } from 'vitest';
import { commandNames, commandRows } from '../../../../src/programs/cli/settings.ts';

test('a command has a slash and completes, and a skill has its type and does not', () => {
  const description = 'Reads';
  const commands = [
    { type: 'command', name: 'web', description, input: { type: 'text', hint: 'query' } },
    { type: 'skill', name: 'pdf', description },
    { type: '_macro', name: 'odd', description },
  ] as const;
  expect(commandNames({ commands })).toEqual(['web']);
  expect(commandRows({ commands })).toEqual([
    ['  /web <query>', description],
    ['  pdf (skill)', description],
    ['  odd (_macro)', description],
  ]);
});
