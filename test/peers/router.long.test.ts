import { expect, onTestFinished, test } from 'vitest';
import type { ProtocolVersion } from '../../src/core/protocol/negotiate.ts';
import { outline } from '../support/open-session.ts';
import { connectToOfficial } from './official.ts';

const files = { readTextFile: () => ({ content: '' }), writeTextFile: () => {} };

async function routed(versions: readonly string[], protocolVersions?: readonly ProtocolVersion[]) {
  const official = await connectToOfficial(['router', ...versions], {
    handlers: files,
    ...(protocolVersions && { protocolVersions }),
  });
  onTestFinished(() => official.connection.close());
  return official;
}

test('a router over both versions answers 2 to a client that offers both', async () => {
  const { connection, seen } = await routed(['v1', 'v2']);
  expect(connection.dialect).toBe('v2-baseline');
  const [initialize] = await seen();
  expect(initialize?.params).toMatchObject({ info: { name: 'my-editor' } });
});

test.each([
  ['both versions', ['v1', 'v2']],
  ['version 1', ['v1']],
])('a router over %s, offered 1: version 1, with everything that version can say', async (_, versions) => {
  const { connection, seen } = await routed(versions, [1]);
  expect(connection.dialect).toBe('v1');
  const [initialize] = await seen();
  expect(initialize?.params['clientCapabilities']).toMatchObject({
    fs: { readTextFile: true, writeTextFile: true },
  });
});

test('a router over version 1, offered both: version 1, and the router drops the half it does not convert', async () => {
  const { connection, seen } = await routed(['v1']);
  expect(connection.dialect).toBe('v1');
  const [initialize] = await seen();
  // Known: between versions the router reads the request as one of version 2, and makes that into one of version 1.
  const { fs, terminal } = (initialize?.params['clientCapabilities'] ?? {}) as Record<string, unknown>;
  expect([fs, terminal]).toEqual([{ readTextFile: false, writeTextFile: false }, false]);
  const session = await connection.newSession({ cwd: '/' });
  await session.prompt('talk');
  expect(outline(session.conversation).at(-1)).toBe('agent: Hello there.');
});

test('a router over version 2, offered both or 2: version 2', async () => {
  for (const offered of [undefined, [2]] as const) {
    const { connection } = await routed(['v2'], offered);
    expect(connection.dialect).toBe('v2-baseline');
    const session = await connection.newSession({ cwd: '/' });
    expect(await session.prompt('talk')).toMatchObject({ stopReason: 'end_turn' });
  }
});

test.each([
  ['a router over version 2', 1, 2, ['router', 'v2']],
  ['an agent of version 2', 1, 2, ['v2']],
  ['an agent of version 1', 2, 1, ['v1']],
] as const)('%s, offered %i: no common version, and it names %i', async (_, offered, supported, args) => {
  await expect(connectToOfficial(args, { protocolVersions: [offered] })).rejects.toMatchObject({
    code: 'protocol.version',
    offered: [offered],
    supported: [supported],
  });
});
