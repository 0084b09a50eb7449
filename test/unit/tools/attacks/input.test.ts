import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../../src/entries/tools.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  addressOf,
  echoCall,
  expectServed,
  openSocket,
  request,
  sendAsAgent,
  type ToolTarget,
  toolTarget,
  waitingTool,
} from '../../../support/tool-target.ts';

const ways = ['acp', 'http', 'stdio'] as const;

/** A call with arguments that are no value of JavaScript, such as an object with a key `__proto__` of its own. */
function callWith(name: string, json: string): object {
  return request('tools/call', 1, { name, arguments: JSON.parse(json) });
}

/** Sends requests and does not wait for the answers. Over stdio, one program sends all of them. */
async function sendTogether(target: ToolTarget, messages: readonly object[]): Promise<void> {
  if (target.server['command'] === undefined) {
    for (const message of messages) void sendAsAgent(target, message).catch(() => {});
    return;
  }
  const socket = await openSocket({ path: addressOf(target.server) });
  for (const line of [target.token, ...messages.map((message) => JSON.stringify(message))]) {
    socket.write(`${line}\n`);
  }
}

const strict: Tool = {
  description: 'Takes a path.',
  input: v.object({ path: v.string(), list: v.optional(v.array(v.number())) }),
  run: () => 'reached',
};

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
  'a list with 300,000 wrong values': `{"path":"x","list":[${'"",'.repeat(300_000)}""]}`,
};

describe.each(ways)('[security: tools-input] over %s', (way) => {
  test.each(Object.entries(wrongInputs))('%s does not reach the tool', async (_, json) => {
    let reached = false;
    const run = () => {
      reached = true;
      return 'reached';
    };
    const target = await toolTarget(way, { strict: { ...strict, run } });
    const answer = await sendAsAgent(target, callWith('strict', json));
    expect(answer).toMatch(/"error"|"isError":true/);
    // Each wrong value is a problem, and the model needs a few of them.
    expect(answer.length).toBeLessThan(20_000);
    expect(reached).toBe(false);
    await expectServed(target);
  });

  test('names of the prototype are ordinary keys of an input', async () => {
    const target = await toolTarget(way);
    const json = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"then":"x"}';
    await sendAsAgent(target, callWith('echo', json));
    const [input] = target.ran;
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Reflect.get(Object(input), 'polluted')).toBeUndefined();
    await expectServed(target);
  });

  test.each([
    '__proto__',
    'constructor',
    'toString',
    'ECHO',
    'echo ',
    'echo\u0000',
    '../echo',
    '',
    'a'.repeat(100_000),
  ])('there is no tool with a name of another kind (%#)', async (name) => {
    const target = await toolTarget(way);
    // Headers cannot have these names, and the header must be that of the body.
    const answer = await sendAsAgent(target, request('tools/call', 1, { name })).catch(String);
    expect(answer).not.toContain('"ran"');
    expect(answer.length).toBeLessThan(2000);
    expect(target.ran).toEqual([]);
    await expectServed(target);
  });

  test('an input of 400,000 objects is passed on, and the next call is served', async () => {
    const target = await toolTarget(way);
    const width = 400_000;
    await sendAsAgent(target, callWith('echo', `{"list":[${'{},'.repeat(width)}{}]}`));
    expect(target.ran.splice(0)).toMatchObject([{ list: { length: width + 1 } }]);
    await expectServed(target);
  });

  test('an input of 400 levels is passed on, and one of 600 is not', async () => {
    const target = await toolTarget(way);
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    await sendAsAgent(target, callWith('echo', nested(400)));
    expect(target.ran.splice(0)).toHaveLength(1);
    void sendAsAgent(target, callWith('echo', nested(600))).catch(() => {});
    await expectServed(target);
    expect(target.ran).toHaveLength(1);
  });

  test('[reliability: limit-tool-calls] cancelled calls of a tool that goes on are counted, and end at the limit', async () => {
    const { wait, release, calls: started } = waitingTool();
    const target = await toolTarget(way, { wait });
    const calls = Array.from({ length: 64 }, (_, id) =>
      request('tools/call', `wait-${id}`, { name: 'wait' }),
    );
    await sendTogether(target, calls);
    await eventually(started).toBe(64);
    await target.session.cancel().catch(() => {});
    const answer = await sendAsAgent(target, request('tools/call', 'more', { name: 'wait' }));
    expect(answer).toContain('runs 64 calls of this session already');
    expect(started()).toBe(64);
    release();
    await expectServed(target);
  });

  test('a call that an agent sends to a tool that was removed is refused', async () => {
    const target = await toolTarget(way, { other: strict });
    target.editor.removeTool('other');
    const answer = await sendAsAgent(target, callWith('other', '{"path":"x"}'));
    expect(answer).toContain('There is no tool');
    await expectServed(target);
  });

  test.each([
    ['a progress token of another kind', { progressToken: { a: 1 } }],
    ['a tool call id of another kind', { 'claudecode/toolUseId': { toString: 'x' } }],
  ])('%s in _meta is refused or ignored', async (_, meta) => {
    const target = await toolTarget(way);
    const call = echoCall() as { params: { _meta: object } };
    Object.assign(call.params._meta, meta);
    const answer = await sendAsAgent(target, call);
    expect(target.ran.splice(0)).toHaveLength(answer.includes('"ran"') ? 1 : 0);
    await expectServed(target);
  });
});

test('[reliability: limit-tool-results] a result that is larger than the limit is a diagnostic for the editor, and a short error for the agent', async () => {
  const huge: Tool = { description: 'Large.', run: () => 'a'.repeat(17 * 1024 * 1024) };
  const target: ToolTarget = await toolTarget('http', { huge });
  const answer = await sendAsAgent(target, request('tools/call', 1, { name: 'huge' }));
  expect(answer).toContain('The tool huge failed in the editor.');
  expect(answer.length).toBeLessThan(1000);
  expect(target.diagnostics.map(({ rule }) => rule)).toContain('tools.invalid_result');
  await expectServed(target);
});
