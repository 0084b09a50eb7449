import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../../src/entries/tools.ts';
import { resultOf } from '../../../../src/tools/result.ts';
import { maxUnreadResultBytes, unreadReason, unreadResults } from '../../../../src/tools/unread-results.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTools, ownSchema, transports } from '../../../support/open-tools.ts';
import { isDropped, unreadTarget } from '../../../support/unread-agent.ts';

const mib = 1024 * 1024;

/** More than the system keeps for a program that does not read. */
const resultBytes = { acp: mib / 16, http: 5 * mib, stdio: mib };

// Named pipes of Windows take another amount before they count as full.
describe.skipIf(process.platform === 'win32')('what an agent does not read', () => {
  test.each(transports)(
    '[security: tools-slow] of the results over %s is not kept above a limit, and its call gets an error',
    async (transport) => {
      const returning: (() => void)[] = [];
      const big: Tool = {
        description: 'Returns much, when the test says so.',
        run: () =>
          new Promise((resolve) => returning.push(() => resolve('x'.repeat(resultBytes[transport])))),
      };
      const small: Tool = { description: 'Returns little.', run: () => 'ran' };
      const maxBytes = 1.5 * resultBytes[transport];
      const { agent, diagnostics } = await unreadTarget({ big, small }, transport, maxBytes);
      const callBig = async (count: number) => {
        for (let made = 0; made < count; made++) agent.call('big');
        await eventually(() => returning.length).toBe(count);
        for (const end of returning.splice(0)) end();
      };
      await callBig(2);
      const dropped = () => diagnostics.filter(({ rule }) => rule === 'tools.refused');
      await eventually(() => dropped().length).toBe(1);
      expect(dropped()[0]?.message).toBe(
        `The agent does not read the answers of the server editor, and the result of big was dropped. ${unreadReason(maxBytes)}`,
      );
      // What is kept takes its room until it is read.
      await callBig(1);
      await eventually(() => dropped().length).toBe(2);
      const answers = await agent.read();
      expect(answers.filter(isDropped).map(({ result }) => result)).toEqual(
        Array.from({ length: 2 }, () => expect.objectContaining({ isError: true })),
      );
      expect(answers).toHaveLength(3);
      // What was read gives its room back.
      await callBig(1);
      expect((await agent.read()).filter(isDropped)).toEqual([]);
      agent.call('small');
      expect(JSON.stringify(await agent.read())).toContain('"text":"ran"');
    },
  );
});

test('the result of a call that the agent cancelled needs no room', async () => {
  const checks: (() => void)[] = [];
  const text = 'x'.repeat(1000);
  const slow: Tool = {
    description: 'Returns much, with a check of its output that takes time.',
    output: ownSchema((value) => new Promise((resolve) => checks.push(() => resolve({ value })))),
    run: () => ({ structuredContent: { text }, content: [] }),
  };
  const big: Tool = { description: 'Returns much.', run: () => text };
  const { client } = await openTools({ slow, big }, { server: { maxUnreadResultBytes: 1500 } });
  for (let count = 1; count <= 2; count++) {
    const control = new AbortController();
    const call = client.callTool({ name: 'slow' }, { signal: control.signal });
    call.catch(() => {});
    await eventually(() => checks.length).toBe(count);
    control.abort();
    await expect(call).rejects.toThrow();
  }
  await eventually(async () => (await client.callTool({ name: 'big' })).isError).not.toBe(true);
});

describe('the room for results', () => {
  test('[reliability: limit-unread-results] is 32 MiB for all that are unread together', () => {
    expect(unreadReason()).toContain('More than 32 MiB');
    const results = unreadResults();
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

  test('is there for one of any size, in any number of parts', () => {
    const results = unreadResults(100);
    const room = results.room();
    expect(room.take(200)).toBe(true);
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
    const results = unreadResults(1000);
    results.room().take(100);
    const structuredContent = { a: 'x'.repeat(500) };
    const first = results.room();
    expect(resultOf({ structuredContent }, first)).toEqual({ unread: true });
    first.release();
    expect(resultOf({ structuredContent, content: [] }, results.room())).toHaveProperty('content');
  });
});
