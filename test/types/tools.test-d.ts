import * as v from 'valibot';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { NewSessionParams } from '../../src/entries/index.ts';
import { mcpServer, toolServer } from '../../src/entries/tools.ts';

describe('a tool server', () => {
  test('gives each tool the input of its schema', () => {
    toolServer({
      name: 'editor',
      tools: {
        open_file: {
          description: 'Opens a file.',
          input: v.object({ path: v.string(), line: v.optional(v.number()) }),
          run: async ({ path, line }, { session, signal, progress, toolCallId }) => {
            expectTypeOf(path).toEqualTypeOf<string>();
            expectTypeOf(line).toEqualTypeOf<number | undefined>();
            expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            expectTypeOf(toolCallId).toEqualTypeOf<string | undefined>();
            progress({ progress: 1 });
            return session.cwd;
          },
        },
        zodded: {
          description: 'Of another library.',
          input: z.object({ count: z.number() }),
          run: ({ count }) => {
            expectTypeOf(count).toEqualTypeOf<number>();
          },
        },
        plain: {
          description: 'With a JSON Schema.',
          input: { type: 'object', properties: { a: { type: 'number' } } },
          run: (input) => {
            expectTypeOf(input['a']).toEqualTypeOf<unknown>();
            return { structuredContent: { a: 1 } };
          },
        },
        none: { description: 'Without input.', run: () => [{ type: 'text', text: 'x' }] },
      },
    });
  });

  test('is a server of a session', () => {
    const servers = [
      toolServer({ name: 'a', tools: {} }),
      mcpServer({ name: 'b', create: () => ({ connect: async () => {}, close: async () => {} }) }),
      { name: 'c', command: '/bin/c' },
    ];
    expectTypeOf(servers).toExtend<NonNullable<NewSessionParams['mcpServers']>>();
  });

  test('refuses results that MCP does not have', () => {
    // @ts-expect-error: a number is not a result.
    toolServer({ name: 'a', tools: { x: { description: 'x', run: () => 5 } } });
  });
});
