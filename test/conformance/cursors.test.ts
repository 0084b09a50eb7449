import { describe, expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import { importConversation } from '../../src/records/saved/import.ts';
import { everything, loadMethod, nothing } from '../support/agents.ts';
import { connectFlushable, cwd, deliver, flush, openSession } from '../support/open-session.ts';
import { says } from '../support/updates.ts';

/** The rules of https://agentclientprotocol.com/rfds/session-cursors. */

const anchor = { type: 'user_message', messageId: 'm1', position: 'before' };
const cursor = (rest: JsonObject = {}, cursorId = 'c1') => ({
  sessionUpdate: 'cursor_update',
  cursorId,
  ...rest,
});
const placed = (rest: JsonObject = {}, cursorId?: string) => cursor({ anchor, ...rest }, cursorId);
const forkable = { capabilities: { fork: {} } };

describe.each(['v1', 'v2-baseline'] as const)('a cursor in %s', (dialect) => {
  const open = async (...updates: JsonObject[]) => {
    const opened = await openSession(dialect, { answers: { 'session/fork': { sessionId: 's2' } } });
    await deliver(opened.agent, ...updates);
    return opened;
  };
  const folded = async (...updates: JsonObject[]) => (await open(...updates)).conversation().cursors;

  test('is no entry, and does not divide a message', async () => {
    const id = dialect === 'v1' ? undefined : 'm1';
    const { conversation } = await open(
      placed(),
      says('one ', id),
      placed({}, 'c2'),
      says('text', id),
      cursor(forkable),
    );
    const { entries, cursors } = conversation();
    expect(entries).toMatchObject([{ kind: 'message', content: [{ type: 'text', text: 'one text' }] }]);
    expect(cursors?.map(({ cursorId }) => cursorId)).toEqual(['c1', 'c2']);
  });

  const patched = dialect === 'v1' ? { b: 2 } : { a: 1, b: 2 };
  test.each<readonly [what: string, later: JsonObject, cursor: JsonObject]>([
    ['its capabilities and its metadata stay if an update omits them', {}, {}],
    ['null takes both away', { capabilities: null, _meta: null }, { capabilities: null, meta: null }],
    [
      'an object replaces all capabilities',
      { capabilities: { rewind: {} } },
      { capabilities: { rewind: {} } },
    ],
    ['a capability that is no object is none', { capabilities: { fork: true } }, { capabilities: {} }],
    ['metadata is replaced in version 1 and patched in version 2', { _meta: { b: 2 } }, { meta: patched }],
    ['it stays where it was first', { anchor: { ...anchor, position: 'after' } }, {}],
  ])('%s', async (_, later, expected) => {
    const first = { ...forkable, _meta: { a: 1 } };
    expect(await folded(placed(first), cursor(later))).toEqual([
      { cursorId: 'c1', anchor, ...forkable, meta: { a: 1 }, ...expected },
    ]);
  });

  test.each([
    { type: 'tool_call', toolCallId: 't1', position: 'after', _meta: { a: 1 } },
    { type: 'compaction', compactionId: 'k1', position: 'between' },
    { type: '_page', page: 7 },
    { type: 'checkpoint', at: [1] },
  ])('is kept at the anchor %j', async (kept) => {
    expect(await folded(placed({ anchor: kept }))).toEqual([
      { cursorId: 'c1', anchor: kept, capabilities: null, meta: null },
    ]);
  });

  test.each<readonly [JsonObject, string]>([
    [cursor(forkable), 'update.anchor is missing in the first update of the cursor "c1"'],
    [placed({ anchor: { type: 'tool_call', position: 'after' } }), 'toolCallId is missing'],
    [placed({ anchor: 'm1' }), 'update.anchor must be'],
  ])('%j is a fault, and changes nothing', async (update, message) => {
    const { conversation, diagnostics, session, agent } = await openSession(dialect);
    const seen: string[] = [];
    session.onUpdate(({ sessionUpdate }) => seen.push(sessionUpdate));
    await deliver(agent, update);
    expect(diagnostics).toMatchObject([
      { rule: 'protocol.malformed_update', message: expect.stringContaining(message) },
    ]);
    expect(conversation()).not.toHaveProperty('cursors');
    expect(seen).toEqual([]);
  });

  test('is part of a history that is loaded, and a load without a saved conversation begins without cursors', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect], {
      script: (scripted) => {
        let count = 0;
        return scripted.on('session/close', {}).on(loadMethod(dialect), () => {
          count++;
          scripted.update('s1', says('Hi', 'm1'), placed(forkable, `c${count}`));
          return {};
        });
      },
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    expect(session.conversation.cursors).toMatchObject([{ cursorId: 'c1' }]);
    await connection.loadSession({ sessionId: 's1', cwd });
    await flush(agent);
    expect(session.conversation.cursors).toMatchObject([{ cursorId: 'c2', anchor, ...forkable }]);
    await session.close();
    const conversation = importConversation(JSON.parse(JSON.stringify(session.conversation)));
    const again = await connection.loadSession({ sessionId: 's1', cwd }, { conversation });
    await flush(agent);
    expect(again.conversation.cursors?.map(({ cursorId }) => cursorId)).toEqual(['c2', 'c3']);
  });

  test('a copy ends at it while the agent offers that', async () => {
    const { agent, connection } = await open(placed(forkable), placed({}, 'c2'));
    const refused: readonly [cursorId: string, message: string][] = [
      ['c2', '"c2" cannot end a copy of the session: it does not offer that now'],
      ['c3', '"c3" cannot end a copy of the session: the session has none with this id'],
    ];
    for (const [cursorId, message] of refused) {
      const params = { sessionId: 's1', cwd, mcpServers: [], cursorId };
      for (const call of [
        () => connection.forkSession(params),
        () => connection.request('session/fork', params),
      ]) {
        await expect(call()).rejects.toMatchObject({
          code: 'usage.capability',
          message: expect.stringContaining(message),
        });
      }
    }
    expect(agent.calls('session/fork')).toEqual([]);
    const copy = await connection.forkSession({ sessionId: 's1', cwd, cursorId: 'c1' });
    expect(copy.sessionId).toBe('s2');
    // The cursors of a session that is not open are not known.
    await connection.forkSession({ sessionId: 'kept', cwd, cursorId: 'c9' });
    await connection.forkSession({ sessionId: 's1', cwd, cursorId: 'c3' }, { allowUnsupported: true });
    await connection.forkSession({ sessionId: 's1', cwd });
    expect(agent.calls('session/fork').map(({ params }) => params?.['cursorId'])).toEqual([
      'c1',
      'c9',
      'c3',
      undefined,
    ]);
  });

  test('needs session.fork for a copy', async () => {
    const { agent, connection } = await connectFlushable(nothing[dialect]);
    await expect(connection.forkSession({ sessionId: 's1', cwd, cursorId: 'c1' })).rejects.toMatchObject({
      code: 'usage.capability',
      feature: 'session.fork',
    });
    await expect(
      // TypeScript does not accept the parameter.
      connection.loadSession({ sessionId: 's1', cwd, cursorId: 'c1' } as never),
    ).rejects.toThrow('"cursorId" is not a parameter');
    expect(agent.calls('session/fork')).toEqual([]);
  });
});

/** Each of them is for one version, and the client offers both. */
test.each([
  { option: 'cursors', has: ['clientCapabilities', { cursors: {} }], lacks: 'capabilities' },
  { option: 'skills', has: ['capabilities', { commands: { skill: {} } }], lacks: 'clientCapabilities' },
] as const)('$option: true of connect asks the version that has them', async ({ option, has, lacks }) => {
  const [key, session] = has;
  const asked = (params: JsonObject | undefined, at: string) =>
    (params?.[at] as { readonly session?: JsonObject } | undefined)?.session;
  for (const value of [true, false]) {
    const { agent } = await connectFlushable(everything.v1, { connect: { [option]: value } });
    const [{ params } = {}] = agent.calls('initialize');
    for (const [name, part] of Object.entries(session)) {
      expect(asked(params, key)?.[name]).toEqual(value ? part : undefined);
      expect(asked(params, lacks)?.[name]).toBeUndefined();
    }
  }
  const { agent } = await connectFlushable(everything.v1);
  const clientInfo = { name: 'editor', version: '1.0.0' };
  await expect(connect(agent.transport, { clientInfo, clientCapabilities: { session } })).rejects.toThrow(
    `is a capability that this library knows. It is advertised when you pass the option ${option}: true.`,
  );
});
