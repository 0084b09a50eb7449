import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../../src/core/base/errors.ts';
import { mcpServer, type Tool, toolServer } from '../../../../src/entries/tools.ts';
import { toolTarget } from '../../../support/tool-target.ts';

const tool: Tool = { description: 'x', run: () => 'ran' };

const hostileNames = [
  '',
  ' ',
  'a b',
  'a/b',
  '../a',
  'a\n',
  'a\u0000',
  '\u001b[2J',
  'a\u202e',
  'ä',
  '😀',
  'mcp:a',
  'a"b',
  '<script>',
  'a'.repeat(129),
  'a'.repeat(1_000_000),
];

describe('[security: tools-names] a hostile name', () => {
  test.each(hostileNames)('of a server or a tool is refused, and the error is short (%#)', async (name) => {
    const calls = [
      () => toolServer({ name, tools: {} }),
      () => toolServer({ name: 'editor', tools: { [name]: tool } }),
      () => mcpServer({ name, create: () => undefined as never }),
    ];
    for (const call of calls) {
      expect(call).toThrow(InvalidParamsError);
      expect(call).toThrow(/^.{1,500}$/u);
    }
    const server = toolServer({ name: 'editor', tools: {} });
    await expect(server.addTool(name, tool)).rejects.toThrow(InvalidParamsError);
    expect(server.toolNames).toEqual([]);
  });

  test('that is no text is refused', async () => {
    const server = toolServer({ name: 'editor', tools: {} });
    await expect(server.addTool(7 as never, tool)).rejects.toThrow(/got 7/);
  });

  test('that belongs to the prototype is an ordinary name', async () => {
    const tools = JSON.parse('{"constructor":{},"toString":{}}') as Record<string, Tool>;
    for (const name of Object.keys(tools)) tools[name] = tool;
    const { editor } = await toolTarget('http', tools);
    expect(editor.toolNames).toEqual(['echo', 'constructor', 'toString']);
    await editor.addTool('__proto__', tool);
    expect(editor.removeTool('__proto__')).toBe(true);
    expect(editor.removeTool('hasOwnProperty')).toBe(false);
  });
});

test('[reliability: limit-tools] a server has 1,000 tools, and not one more', async () => {
  const tools = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`tool${index}`, tool]));
  const server = toolServer({ name: 'editor', tools });
  await expect(server.addTool('more', tool)).rejects.toThrow(/1000 tools; got 1001/);
  expect(() => toolServer({ name: 'editor', tools: { ...tools, more: tool } })).toThrow(/got 1001/);
  await server.addTool('tool0', tool);
  expect(server.toolNames).toHaveLength(1000);
  server.removeTool('tool0');
  const added = await Promise.allSettled([server.addTool('a', tool), server.addTool('b', tool)]);
  expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(server.toolNames).toHaveLength(1000);
});
