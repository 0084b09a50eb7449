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

test('a router over both versions, offered 1: version 1, with everything that version can say', async () => {
  const { connection, seen } = await routed(['v1', 'v2'], [1]);
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

test('a router over version 1, offered 1: version 1, whole', async () => {
  const { connection, seen } = await routed(['v1'], [1]);
  expect(connection.dialect).toBe('v1');
  const [initialize] = await seen();
  expect(initialize?.params['clientCapabilities']).toMatchObject({
    fs: { readTextFile: true, writeTextFile: true },
  });
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
  ['a router over version 2', ['router', 'v2']],
  ['an agent of version 2', ['v2']],
])('%s, offered 1: no common version, with those that the agent names', async (_, args) => {
  await expect(connectToOfficial(args, { protocolVersions: [1] })).rejects.toMatchObject({
    code: 'protocol.version',
    offered: [1],
    supported: [2],
  });
});

test('an agent of version 1, offered 2 alone: no common version', async () => {
  await expect(connectToOfficial(['v1'], { protocolVersions: [2] })).rejects.toMatchObject({
    code: 'protocol.version',
    offered: [2],
    supported: [1],
  });
});
