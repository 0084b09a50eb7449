import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConversationEvent } from '../../../src/core/model/event.ts';
import { demoAgent, runHere } from '../../process/cli/command-line.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { codeIn, root, rowsBelow } from './pages.ts';

/** The fields of each event besides `type`, as the page has them. */
const fields = Object.fromEntries(
  rowsBelow('docs/command-line.md', '`type`', 'happens', 'other fields').map(([type, , shapes = '']) => [
    codeIn(type) ?? '',
    shapes.split('; ').map((shape) => /^`(\w+)`: ./.exec(shape)?.[1] ?? shape),
  ]),
);

test('the table of the lines of --format jsonl has each event with its fields', () => {
  const source = readFileSync(join(root, 'src/core/model/event.ts'), 'utf8');
  const namesIn = (body: string) => [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name = '']) => name);
  const declared = [...source.matchAll(/^export interface (\w+)( extends \w+)? \{\n([\s\S]*?)^\}$/gm)];
  const ofMessages = namesIn(declared.find(([, name]) => name === 'MessageReference')?.[3] ?? '');
  const events = declared.flatMap(([, , extending, body = '']) => {
    const [, types = ''] = /^ {2}readonly type: (.*);$/m.exec(body) ?? [];
    const names = [...(extending ? ofMessages : []), ...namesIn(body)].filter((name) => name !== 'type');
    return [...types.matchAll(/'(\w+)'/g)].map(([, type]) => [type, names.sort()]);
  });
  expect(events.length).toBeGreaterThan(20);
  const shown = Object.entries(fields).map(([type, names]) => [type, names.toSorted()]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(events));
});

test.each(['v1', 'v2-markers', 'v2-baseline'])(
  '--format jsonl prints lines as the table has them, with an agent of %s',
  async (dialect) => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const args = ['prompt', 'edit, run, plan and image', '--permit', 'allow', '--format', 'jsonl'];
    const { code, stdout } = await runHere([...args, ...agent]);
    expect(code).toBe(0);
    const lines: readonly ConversationEvent[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = new Set(lines.map(({ type }) => type));
    for (const type of ['text', 'thought', 'content', 'toolCall', 'permission', 'plan', 'fields'] as const)
      expect(types).toContain(type);
    for (const { type, ...rest } of lines)
      expect(Object.keys(rest).sort(), type).toEqual(fields[type]?.toSorted());
  },
);
