import { expect, test } from 'vitest';
import { type Tool, ToolError, type ToolResult } from '../../../src/entries/tools.ts';
import { maxResultLength, resultOf } from '../../../src/tools/result.ts';
import type { ToolContent } from '../../../src/tools/tool.ts';
import { unreadResults } from '../../../src/tools/unread-results.ts';
import { openTools } from '../../support/open-tools.ts';

const data = Buffer.from('data').toString('base64');

const contents: Readonly<Record<string, ToolContent>> = {
  image: { type: 'image', data, mimeType: 'image/png' },
  audio: { type: 'audio', data, mimeType: 'audio/wav' },
  text_resource: {
    type: 'resource',
    resource: { uri: 'file:///a.ts', mimeType: 'text/plain', text: 'let a;' },
  },
  blob_resource: { type: 'resource', resource: { uri: 'file:///a.bin', blob: data } },
  link: { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts', mimeType: 'text/plain' },
  text_with_meta: { type: 'text', text: 'one', _meta: { line: 1 } },
};
const list = Object.values(contents);
const epoch = '1970-01-01T00:00:00.000Z';
const whole = { structuredContent: { count: 2 }, content: list, _meta: { of: 'me' } };

/** What a tool returns, and what the agent gets for it. */
const results: Readonly<Record<string, readonly [ToolResult, object]>> = {
  ...Object.fromEntries(
    Object.entries(contents).map(([name, one]) => [name, [one, { content: [one] }] as const]),
  ),
  text: ['Opened.', { content: [{ type: 'text', text: 'Opened.' }] }],
  empty_text: ['', { content: [{ type: 'text', text: '' }] }],
  list: [list, { content: list }],
  empty_list: [[], { content: [] }],
  nothing: [undefined, { content: [] }],
  structured: [
    { structuredContent: { count: 2 } },
    { structuredContent: { count: 2 }, content: [{ type: 'text', text: '{"count":2}' }] },
  ],
  structured_with_text: [whole, whole],
  // It becomes what JSON makes of it.
  dated: [
    // In JavaScript it can be anything.
    { structuredContent: { date: new Date(0), none: undefined } } as never,
    { structuredContent: { date: epoch }, content: [{ type: 'text', text: `{"date":"${epoch}"}` }] },
  ],
};

test('an agent gets each kind of result', async () => {
  const tools = Object.entries(results).map(([name, [result]]): [string, Tool] => [
    name,
    { description: name, run: () => result },
  ]);
  const { client } = await openTools(Object.fromEntries(tools));
  for (const [name, [, expected]] of Object.entries(results)) {
    const { content, structuredContent, isError, _meta = {} } = await client.callTool({ name });
    const { of } = _meta as { readonly of?: unknown };
    const got = { content, structuredContent, isError, ...(of !== undefined && { _meta: { of } }) };
    expect({ name, ...got }).toEqual({ name, ...expected });
  }
});

test('an agent gets the text of a ToolError, and nothing of another error', async () => {
  const throwing = (error: unknown): Tool => ({
    description: 'x',
    run: () => {
      throw error;
    },
  });
  const { client, diagnostics } = await openTools({
    missing: throwing(new ToolError('There is no file /x.')),
    broken: throwing(new Error('password 1234 in a.ts.')),
    rejecting: { description: 'x', run: () => Promise.reject(new Error('password 1234')) },
    odd: throwing(null),
  });
  expect(await client.callTool({ name: 'missing' })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'There is no file /x.' }],
  });
  for (const name of ['broken', 'rejecting', 'odd']) {
    expect(await client.callTool({ name })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: `The tool ${name} failed in the editor.` }],
    });
  }
  const failed = diagnostics.filter(({ rule }) => rule === 'tools.failed');
  expect(failed).toHaveLength(3);
  expect(failed[0]?.message).toBe(
    'The tool broken of editor threw: password 1234 in a.ts. The agent got an error without it.',
  );
});

test('an agent gets the list of the tools with titles, hints and schemas', async () => {
  const { client } = await openTools({
    find: {
      title: 'Find',
      description: 'Finds a text.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      output: { type: 'object', properties: { count: { type: 'number' } } },
      annotations: { readOnlyHint: true },
      run: () => ({ structuredContent: { count: 0 } }),
    },
    plain: { description: 'No input.', run: () => {} },
  });
  const { tools } = await client.listTools();
  expect(tools).toEqual([
    {
      name: 'find',
      title: 'Find',
      description: 'Finds a text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      outputSchema: { type: 'object', properties: { count: { type: 'number' } } },
      annotations: { readOnlyHint: true },
    },
    { name: 'plain', description: 'No input.', inputSchema: { type: 'object', properties: {} } },
  ]);
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

/** Results that no agent can get, and what the diagnostic says of them. JavaScript can return anything. */
const wrong: Readonly<Record<string, readonly [() => unknown, RegExp]>> = {
  a_number: [() => 7, /must be a text, content/],
  null: [() => null, /must be a text, content/],
  a_symbol: [() => Symbol('x'), /must be a text, content/],
  a_function: [() => () => {}, /must be a text, content/],
  a_bare_object: [() => ({ count: 2 }), /must be a text, content/],
  an_unknown_type: [() => ({ type: 'video', data }), /type/],
  data_without_base64: [() => ({ type: 'image', data: '§§', mimeType: 'image/png' }), /base64/],
  an_image_without_a_type: [() => ({ type: 'image', data }), /mimeType/],
  a_resource_without_content: [() => ({ type: 'resource', resource: { uri: 'file:///a' } }), /resource/],
  a_resource_without_uri: [() => ({ type: 'resource', resource: { text: 'x' } }), /resource/],
  a_blob_without_uri: [() => ({ type: 'resource', resource: { blob: data } }), /resource/],
  a_link_without_a_name: [() => ({ type: 'resource_link', uri: 'file:///a' }), /name/],
  meta_that_is_a_list: [() => ({ type: 'text', text: 'x', _meta: [] }), /_meta: must be an object/],
  a_list_with_a_text: [() => [{ type: 'text', text: 'one' }, 'text'], /1:/],
  structured_text: [() => ({ structuredContent: 'text' }), /structuredContent/],
  structured_list: [() => ({ structuredContent: [1] }), /structuredContent/],
  structured_and_more: [() => ({ structuredContent: {}, isError: true }), /isError/],
  a_cycle: [() => ({ structuredContent: cyclic }), /cannot be written as JSON/],
  a_bigint: [() => ({ structuredContent: { count: 2n } }), /cannot be written as JSON/],
  too_long: [() => 'x'.repeat(maxResultLength), /characters as JSON/],
  a_throwing_getter: [
    () => ({
      get structuredContent() {
        throw new Error('getter 1234');
      },
    }),
    /cannot be written as JSON: getter 1234/,
  ],
  a_throwing_toJSON: [
    () => ({
      structuredContent: {
        toJSON() {
          throw new Error('toJSON 1234');
        },
      },
    }),
    /cannot be written as JSON: toJSON 1234/,
  ],
  a_throwing_value: [
    () => ({
      toJSON() {
        throw null;
      },
    }),
    /cannot be written as JSON/,
  ],
  a_throwing_proxy: [
    () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('proxy 1234');
          },
        },
      ),
    /proxy 1234/,
  ],
};

test('a result that no agent can get is an error for the agent, and a diagnostic says why', async () => {
  const tools = Object.entries(wrong).map(([name, [result]]): [string, Tool] => [
    name,
    { description: name, run: () => result() as ToolResult },
  ]);
  const { client, diagnostics } = await openTools(Object.fromEntries(tools));
  for (const [name, [, reason]] of Object.entries(wrong)) {
    const answer = await client.callTool({ name });
    expect({ name, ...answer }).toMatchObject({
      name,
      isError: true,
      content: [{ type: 'text', text: `The tool ${name} failed in the editor.` }],
    });
    const { message, rule } = diagnostics.at(-1) ?? {};
    // A promise is resolved with it, which reads `then`.
    const expected = name === 'a_throwing_proxy' ? 'tools.failed' : 'tools.invalid_result';
    expect({ name, rule }).toEqual({ name, rule: expected });
    expect(message).toMatch(reason);
    expect(message).toMatch(/\. The agent got an error without it\.$/);
  }
});

test('[reliability: limit-tool-results] a result has 16 MiB of characters as JSON, and not one more', () => {
  const room = unreadResults().room();
  const text = 'x'.repeat(16 * 1024 * 1024 - '""'.length);
  expect(resultOf(text, room)).toEqual({ content: [{ type: 'text', text }] });
  expect(resultOf(`${text}x`, room)).toEqual({
    wrong: 'it has 16777217 characters as JSON, and 16777216 are allowed',
  });
});

test('a result is copied: what the tool changes later does not reach the agent', async () => {
  const content = { type: 'text' as const, text: 'first' };
  const { client } = await openTools({
    one: {
      description: 'x',
      run: () => {
        queueMicrotask(() => setTimeout(() => Object.assign(content, { text: 'second' })));
        return content;
      },
    },
  });
  expect((await client.callTool({ name: 'one' })).content).toEqual([{ type: 'text', text: 'first' }]);
});
