import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../../src/core/base/errors.ts';
import { mcpServer, type Tool, toolServer } from '../../../../src/entries/tools.ts';
import { eventually } from '../../../support/eventually.ts';
import { transports, waitingTool } from '../../../support/open-tools.ts';
import { echoCall, expectServed, request, sendAsAgent, toolTarget } from '../../../support/tool-target.ts';

/** A call with arguments that are no value of JavaScript, such as an object with a key `__proto__` of its own. */
function callWith(name: string, json: string): object {
  return request('tools/call', 1, { name, arguments: JSON.parse(json) });
}

const input = v.object({ path: v.string(), list: v.optional(v.array(v.number())) });
const strict: Tool = { description: 'Takes a path.', input, run: () => 'reached' };

/** What a tool with a schema must not get. */
const wrongInputs: Readonly<Record<string, string>> = {
  'no member': '{}',
  'a number for a text': '{"path":1}',
  'null for a text': '{"path":null}',
  'an object for a text': '{"path":{"toString":"x"}}',
  'a list for a text': '{"path":["x"]}',
  'the member in the prototype': '{"__proto__":{"path":"x"}}',
  'the member in the constructor': '{"constructor":{"prototype":{"path":"x"}}}',
  'a list for an object': '[]',
  'a text for an object': '"path"',
  'null for an object': 'null',
  'a number for an object': '1e308',
  'a list with 5,000 wrong values': `{"path":"x","list":[${'"",'.repeat(5000)}""]}`,
};

describe.each(transports)('[security: tools-input] over %s', (way) => {
  test('what a tool with a schema must not get does not reach it, and names of the prototype are ordinary keys', async () => {
    const reached: unknown[] = [];
    const target = await toolTarget(way, {
      strict: { ...strict, run: (given) => void reached.push(given) },
    });
    for (const [what, json] of Object.entries(wrongInputs)) {
      const answer = await sendAsAgent(target, callWith('strict', json));
      expect(answer, what).toMatch(/"error"|"isError":true/);
      // Each wrong value is a problem, and the model needs a few of them.
      expect(answer.length).toBeLessThan(20_000);
    }
    expect(reached).toEqual([]);
    const json = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"then":"x"}';
    await sendAsAgent(target, callWith('echo', json));
    const [got] = target.ran;
    expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(Object(got), 'polluted')).toBeUndefined();
    await expectServed(target);
  });

  test('an input of 400 levels or 20,000 objects is passed on, and one of 600 levels is not', async () => {
    const target = await toolTarget(way);
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    await sendAsAgent(target, callWith('echo', nested(400)));
    await sendAsAgent(target, callWith('echo', `{"list":[${'{},'.repeat(20_000)}{}]}`));
    expect(target.ran.splice(0)).toMatchObject([{ a: {} }, { list: { length: 20_001 } }]);
    void sendAsAgent(target, callWith('echo', nested(600))).catch(() => {});
    await expectServed(target);
    expect(target.ran).toEqual([]);
  });

  test('there is no tool with a name of another kind', async () => {
    const target = await toolTarget(way);
    for (const name of ['__proto__', 'toString', 'ECHO', 'echo ', 'echo\u0000', '../echo', '']) {
      // Headers cannot have some of these names, and the header must be that of the body.
      const answer = await sendAsAgent(target, request('tools/call', 1, { name })).catch(String);
      expect(answer, name).not.toContain('"ran"');
      expect(answer.length).toBeLessThan(2000);
    }
    expect(target.ran).toEqual([]);
    await expectServed(target);
  });
});

test('[reliability: limit-tool-calls] cancelled calls of a tool that goes on are counted, and end at the limit', async () => {
  const { tool: wait, release, signals } = waitingTool();
  const target = await toolTarget('acp', { wait });
  const call = (id: string) => sendAsAgent(target, request('tools/call', id, { name: 'wait' }));
  for (let count = 0; count < 64; count++) void call(`wait-${count}`);
  await eventually(() => signals).toHaveLength(64);
  await target.session.cancel().catch(() => {});
  expect(await call('more')).toContain(
    'The editor runs 64 calls of this session already. Wait for one of them.',
  );
  expect(signals).toHaveLength(64);
  release();
  await expectServed(target);
});

test.each([
  ['a progress token of another kind', { progressToken: { a: 1 } }],
  ['a tool call id of another kind', { 'claudecode/toolUseId': { toString: 'x' } }],
])('%s in _meta is refused or ignored', async (_, meta) => {
  const target = await toolTarget('acp');
  const call = echoCall();
  Object.assign(Object(Reflect.get(Object(call['params']), '_meta')), meta);
  const answer = await sendAsAgent(target, call);
  expect(target.ran.splice(0)).toHaveLength(answer.includes('"ran"') ? 1 : 0);
  await expectServed(target);
});

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
  test.each(hostileNames)('of a server or a tool is refused, and the error is short (%#)', (name) => {
    const calls = [
      () => toolServer({ name, tools: {} }),
      () => toolServer({ name: 'editor', tools: { [name]: tool } }),
      () => mcpServer({ name, create: () => undefined as never }),
    ];
    for (const call of calls) {
      expect(call).toThrow(InvalidParamsError);
      expect(call).toThrow(/^.{1,500}$/u);
    }
  });

  test('that belongs to the prototype is an ordinary name', async () => {
    const names = ['constructor', 'toString', '__proto__'];
    const { editor } = await toolTarget('http', Object.fromEntries(names.map((name) => [name, tool])));
    expect(editor.toolNames).toEqual(['echo', ...names]);
  });
});

test('[reliability: limit-tools] a server has 1,000 tools, and not one more', () => {
  const tools = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`tool${index}`, tool]));
  expect(toolServer({ name: 'editor', tools }).toolNames).toHaveLength(1000);
  expect(() => toolServer({ name: 'editor', tools: { ...tools, more: tool } })).toThrow(
    /1000 tools; got 1001/,
  );
});
