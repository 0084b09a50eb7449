import { describe, expect, test } from 'vitest';
import { type Tool, toolServer } from '../../../../src/entries/tools.ts';
import { resultOf } from '../../../../src/tools/result.ts';
import { maxUnreadResultBytes, UnreadResults } from '../../../../src/tools/unread-results.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTools, transports, ways } from '../../../support/open-tools.ts';
import { isDropped, unreadTarget } from '../../../support/unread-agent.ts';

const resultBytes = 8 * 1024 * 1024;
const calls = 5;

// Named pipes of Windows take another amount before they count as full.
describe.skipIf(process.platform === 'win32')('what an agent does not read', () => {
  test.each(transports)(
    '[security: tools-slow] of the results over %s is not kept above a limit, and its call gets an error',
    async (transport) => {
      const returning: (() => void)[] = [];
      const tools: Record<string, Tool> = {
        big: {
          description: 'Returns much, when the test says so.',
          run: () => new Promise((resolve) => returning.push(() => resolve('x'.repeat(resultBytes)))),
        },
        small: { description: 'Returns little.', run: () => 'ran' },
      };
      const { agent, diagnostics } = await unreadTarget(
        toolServer({ name: 'editor', transports: [transport], tools }),
      );
      const callBig = async (count: number) => {
        for (let made = 0; made < count; made++) agent.call('big');
        await eventually(() => returning.length).toBe(count);
        for (const end of returning.splice(0)) end();
      };
      await callBig(calls);
      const dropped = () => diagnostics.filter(({ rule }) => rule === 'tools.refused');
      const room = Math.floor(maxUnreadResultBytes / (resultBytes + 100));
      await eventually(() => dropped().length).toBe(calls - room);
      expect(dropped()[0]?.message).toBe(
        'The agent does not read the answers of the server editor, and the result of big was dropped. More than 32 MiB of answers are not read. Read them, and call again.',
      );
      // What is kept takes its room until it is read. Over stdio, a call is not read until then.
      const later = transport === 'stdio' ? 0 : 1;
      await callBig(later);
      await eventually(() => dropped().length).toBe(calls - room + later);
      const answers = await agent.read();
      expect(answers.filter(isDropped).map(({ result }) => result)).toEqual(
        Array.from({ length: calls - room + later }, () => expect.objectContaining({ isError: true })),
      );
      expect(answers).toHaveLength(calls + later);
      // What was read gives its room back.
      for (let round = 0; round < 3; round++) {
        await callBig(room);
        expect((await agent.read()).filter(isDropped)).toEqual([]);
        agent.call('small');
        expect(JSON.stringify(await agent.read())).toContain('"text":"ran"');
      }
    },
  );
});

/** The official client of MCP reads no longer message over stdio than 10 MiB. */
const large = 'x'.repeat(9 * 1024 * 1024);

describe.each(ways)('over %s, %s versions of MCP', (transport, era) => {
  test('results that are read need no room, however many there are', async () => {
    const { client, diagnostics } = await openTools(
      { large: { description: 'Large.', run: () => large } },
      { transport, era },
    );
    for (let count = 0; count < 5; count++) {
      expect((await client.callTool({ name: 'large' })).isError).not.toBe(true);
    }
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('the result of a call that the agent cancelled needs no room', async () => {
    const checks: (() => void)[] = [];
    const slow: Tool = {
      description: 'Large, with a check of its output that takes time.',
      output: {
        '~standard': {
          version: 1,
          vendor: 'own',
          validate: (value: unknown) => new Promise((resolve) => checks.push(() => resolve({ value }))),
          jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
        },
        // Libraries add the member with the JSON Schema to the standard.
      } as never,
      run: () => ({ structuredContent: { large }, content: [] }),
    };
    const ended: unknown[] = [];
    const { client } = await openTools(
      { slow, large: { description: 'Large.', run: () => large } },
      {
        transport,
        era,
        // The end of a call that was cancelled.
        connect: { trace: { write: ({ msg }) => void ended.push(msg) } },
      },
    );
    for (let count = 1; count <= 4; count++) {
      const control = new AbortController();
      const call = client.callTool({ name: 'slow' }, { signal: control.signal });
      call.catch(() => {});
      await eventually(() => checks.length).toBe(count);
      control.abort();
      await expect(call).rejects.toThrow();
      await eventually(() => JSON.stringify(ended)).toMatch(/The call was cancelled|was withdrawn/);
      ended.length = 0;
    }
    expect((await client.callTool({ name: 'large' })).isError).not.toBe(true);
  });
});

describe('the room for results', () => {
  test('[reliability: limit-unread-results] is that of all that are unread together', () => {
    const results = new UnreadResults();
    const [one, two, three] = [results.room(), results.room(), results.room()];
    expect(one.take(maxUnreadResultBytes - 10)).toBe(true);
    expect(two.take(11)).toBe(false);
    expect(two.take(4)).toBe(true);
    expect(two.take(6)).toBe(true);
    expect(three.take(1)).toBe(false);
    two.release();
    two.release();
    expect(three.take(11)).toBe(false);
    expect(three.take(10)).toBe(true);
  });

  test('[reliability: limit-unread-results] is there for one of any size, in any number of parts', () => {
    const results = new UnreadResults();
    const room = results.room();
    expect(room.take(maxUnreadResultBytes * 2)).toBe(true);
    expect(room.take(1)).toBe(true);
    expect(results.room().take(1)).toBe(false);
  });

  test('counts bytes, and structured content twice where it is the text as well', () => {
    const bytesOf = (returned: unknown) => {
      let bytes = 0;
      const take = (more: number) => {
        bytes += more;
        return true;
      };
      expect(resultOf(returned, { take, release() {} })).toHaveProperty('content');
      return bytes;
    };
    expect(bytesOf('\u00e9')).toBe(4);
    expect(bytesOf({ structuredContent: { a: 1 } })).toBe('{"structuredContent":{"a":1}}{"a":1}'.length);
    expect(bytesOf({ structuredContent: { a: 1 }, content: [] })).toBe(
      '{"structuredContent":{"a":1},"content":[]}'.length,
    );
  });

  test('decides before the text for structured content is added', () => {
    const room = new UnreadResults();
    room.room().take(1000);
    const structuredContent = { a: 'x'.repeat(maxUnreadResultBytes / 2 - 100) };
    const first = room.room();
    expect(resultOf({ structuredContent }, first)).toEqual({ unread: true });
    first.release();
    expect(resultOf({ structuredContent, content: [] }, room.room())).toHaveProperty('content');
  });
});
