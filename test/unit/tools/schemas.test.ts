import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { type Tool, type ToolSchema, toolServer } from '../../../src/entries/tools.ts';
import { cwd } from '../../support/open-session.ts';
import { connectTools, openTools, ownSchema, serverOf } from '../../support/open-tools.ts';

const json: JsonObject = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
};

/** The same schema in each library. */
const schemas: Readonly<Record<string, ToolSchema>> = {
  'JSON Schema': json,
  valibot: v.object({ path: v.string(), line: v.optional(v.pipe(v.number(), v.integer())) }),
  zod: z.object({ path: z.string(), line: z.number().int().optional() }),
  ArkType: type({ path: 'string', 'line?': 'number.integer' }),
};

describe.each(Object.entries(schemas))('a schema of %s', (_library, schema) => {
  test('is what the agent gets, and `run` gets only input that matches it', async () => {
    const inputs: unknown[] = [];
    const open: Tool = {
      description: 'Opens a file.',
      input: schema,
      run: (input) => {
        inputs.push(input);
      },
    };
    const { client, diagnostics } = await openTools({ open });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string' }, line: { type: 'integer' } },
          required: ['path'],
        },
      },
    ]);
    await client.callTool({ name: 'open', arguments: { path: '/a.ts', line: 3 } });
    await client.callTool({ name: 'open', arguments: { path: '/b.ts' } });
    const wrong = await client.callTool({ name: 'open', arguments: { path: 1 } });
    expect(wrong).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/^The input of open is wrong: .*path.*\. Correct it and call/) },
      ],
    });
    expect(await client.callTool({ name: 'open' })).toMatchObject({ isError: true });
    expect(inputs).toEqual([{ path: '/a.ts', line: 3 }, { path: '/b.ts' }]);
    // The model made the mistake, and not the editor.
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('is checked for the output', async () => {
    const output = (structuredContent: unknown): Tool => ({
      description: 'x',
      output: schema,
      run: () => ({ structuredContent: structuredContent as JsonObject }),
    });
    const tools = { right: output({ path: '/a.ts' }), wrong: output({ path: 1 }), none: output(undefined) };
    const { client, diagnostics } = await openTools({
      ...tools,
      text: { description: 'x', output: schema, run: () => 'text' },
    });
    const listed = (await client.listTools()).tools;
    expect(listed[0]).toMatchObject({ outputSchema: { type: 'object', required: ['path'] } });
    const right = await client.callTool({ name: 'right' });
    expect(right.structuredContent).toEqual({ path: '/a.ts' });
    for (const name of ['wrong', 'none', 'text']) {
      expect(await client.callTool({ name })).toMatchObject({
        isError: true,
        content: [{ text: `The tool ${name} failed in the editor.` }],
      });
    }
    const messages = diagnostics.filter(({ rule }) => rule === 'tools.invalid_result');
    expect(messages.map(({ message }) => message)).toEqual([
      expect.stringContaining('structuredContent: '),
      expect.stringContaining('structuredContent'),
      expect.stringContaining('the tool has a schema for its output, and returned no structuredContent'),
    ]);
  });
});

test('a schema that is asynchronous is awaited', async () => {
  const inputs: unknown[] = [];
  const input = ownSchema(async (value) => {
    await new Promise(setImmediate);
    const isThere = (value as { readonly path: string }).path !== '/missing.ts';
    return isThere ? { value } : { issues: [{ message: 'There is no such file', path: [{ key: 'path' }] }] };
  });
  const open: Tool = {
    description: 'x',
    input,
    run: (given) => {
      inputs.push(given);
    },
  };
  const { client } = await openTools({ open });
  await client.callTool({ name: 'open', arguments: { path: '/a.ts' } });
  const missing = await client.callTool({ name: 'open', arguments: { path: '/missing.ts' } });
  expect(missing).toMatchObject({
    isError: true,
    content: [
      { text: 'The input of open is wrong: path: There is no such file. Correct it and call again.' },
    ],
  });
  expect(inputs).toEqual([{ path: '/a.ts' }]);
});

test.each([
  [[{ message: 'a' }], 'a'],
  [[{ message: 'a', path: [] }], 'a'],
  [
    Array.from({ length: 10 }, (_, at) => ({ message: 'a', path: ['list', at] })),
    Array.from({ length: 10 }, (_, at) => `list.${at}: a`).join('; '),
  ],
  [Array.from({ length: 12 }, () => ({ message: 'a' })), `${'a; '.repeat(10)}and 2 more`],
])('the model reads the first ten problems of an input (%#)', async (issues, shown) => {
  const input = ownSchema(() => ({ issues }));
  const { client } = await openTools({ open: { description: 'x', input, run: () => '' } });
  expect((await client.callTool({ name: 'open' })).content).toMatchObject([
    { text: `The input of open is wrong: ${shown}. Correct it and call again.` },
  ]);
});

test('a schema that transforms gives `run` its output', async () => {
  const inputs: unknown[] = [];
  const { client } = await openTools({
    open: {
      description: 'x',
      input: z.object({ line: z.string().transform(Number) }),
      run: (input) => {
        inputs.push(input);
      },
    } as Tool,
  });
  await client.callTool({ name: 'open', arguments: { line: '7' } });
  expect(inputs).toEqual([{ line: 7 }]);
});

test('a schema that throws while it checks is an error of the editor', async () => {
  const throwing = ownSchema(() => {
    throw new Error('password 1234');
  });
  const { client, diagnostics } = await openTools({
    open: { description: 'x', input: throwing, run: () => '' },
  });
  const answer = await client.callTool({ name: 'open', arguments: {} });
  expect(answer).toMatchObject({ isError: true, content: [{ text: 'The tool open failed in the editor.' }] });
  expect(diagnostics.find(({ rule }) => rule === 'tools.failed')?.message).toContain('password 1234');
});

/** Schemas that no agent can get, and what the error says. */
const unusable: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'a schema of a text, of valibot': [
    v.string(),
    /The input of the tool open must be the schema of an object; its type is "string"/,
  ],
  'a schema of a text, of zod': [z.string(), /its type is "string"/],
  'a schema of a text, of ArkType': [type('string'), /its type is "string"/],
  'a JSON Schema of a list': [{ type: 'array' }, /its type is "array"/],
  'a JSON Schema without a type': [{}, /its type is no type/],
  'a schema of valibot with a date': [
    v.object({ at: v.date() }),
    /The input of the tool open cannot be written as JSON Schema: /,
  ],
  'a schema of zod with a date': [z.object({ at: z.date() }), /cannot be written as JSON Schema: /],
  'a JSON Schema with a wrong pattern': [
    { type: 'object', properties: { path: { type: 'string', pattern: '(' } } },
    /is not a JSON Schema that can be checked: /,
  ],
  'a JSON Schema that refers to nothing': [
    { type: 'object', properties: { path: { $ref: '#/$defs/path' } } },
    /is not a JSON Schema that can be checked: /,
  ],
  'a JSON Schema that refers to another host': [
    { type: 'object', properties: { path: { $ref: 'https://attacker.example/x' } } },
    /is not a JSON Schema that can be checked: /,
  ],
  'a JSON Schema with a keyword of another kind': [
    { type: 'object', properties: 1 },
    /is not a JSON Schema that can be checked: /,
  ],
  'a schema of a library without JSON Schema': [
    { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } },
    /is a schema of own, which has no form as JSON Schema. Use a newer version of own, or pass a JSON Schema/,
  ],
  'a schema of a library whose form as JSON Schema is null': [
    { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }), jsonSchema: null } },
    /is a schema of own, which has no form as JSON Schema/,
  ],
  'a JSON Schema with a member of another kind': [{ '~standard': null }, /its type is no type/],
  'a JSON Schema with a member that checks nothing': [{ '~standard': {} }, /its type is no type/],
  'a schema whose conversion gives nothing': [
    ownSchema(
      (value) => ({ value }),
      () => undefined,
    ),
    /cannot be written as JSON Schema/,
  ],
};

test.each(Object.entries(unusable))(
  '[security: tools-names] %s is refused before anything is sent',
  async (_what, [input, reason]) => {
    const tool = { description: 'x', input, run: () => '' } as Tool;
    const { connection, agent } = await connectTools();
    const opening = connection.newSession({ cwd, mcpServers: [serverOf({ open: tool })] });
    await expect(opening).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringMatching(reason),
    });
    await expect(opening).rejects.toThrow(/Nothing was sent\.$/);
    expect(agent.calls('session/new')).toEqual([]);
  },
);

test('a schema of the output that no agent can get is refused', async () => {
  const { connection } = await connectTools();
  const server = serverOf({ open: { description: 'x', output: v.string(), run: () => '' } });
  const opening = connection.newSession({ cwd, mcpServers: [server] });
  await expect(opening).rejects.toThrow(/The output of the tool open must be the schema of an object/);
});

test('the error of a schema has the error of its library as its cause', async () => {
  const cause = new Error('no');
  const input = ownSchema(
    (value) => ({ value }),
    () => {
      throw cause;
    },
  );
  const { connection } = await connectTools();
  const server = serverOf({ open: { description: 'x', input: input as never, run: () => '' } });
  const opening = connection.newSession({ cwd, mcpServers: [server] });
  await expect(opening).rejects.toMatchObject({ cause });
});

test.each([7, 'string', null, [], undefined])('a schema that is %j is refused', (input) => {
  const make = () =>
    toolServer({
      name: 'editor',
      tools: { open: { description: 'x', input: input as never, run: () => '' } },
    });
  if (input === undefined) expect(make().toolNames).toEqual(['open']);
  else expect(make).toThrow(/toolServer: the tool open.*must be a Standard Schema or a JSON Schema; got/);
});
