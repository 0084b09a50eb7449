import { expect, test } from 'vitest';
import { outline } from '../support/open-session.ts';
import { differences, type Official } from './official.ts';

interface Peer {
  /** The agent, while tests run. Its editor accepts forms as Ada and has the extensions `_client/echo` and `_client/note`. */
  official(): Official;
  cwd(): string;
  /** The parameters of each `_client/note`. */
  readonly notes: readonly unknown[];
  /** Whether the agent is made with the stable part of the SDK. */
  readonly isStable: boolean;
}

/** What holds in both versions. */
export function testBothVersions({ official, cwd, notes, isStable }: Peer): void {
  test('elicitation: a form is asked and answered', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    await session.prompt('ask');
    const said = outline(session.conversation).at(-1)?.slice('agent: '.length) ?? '';
    expect(JSON.parse(said)).toEqual({ action: 'accept', content: { name: 'Ada' } });
  });

  test('extension methods both ways, and an unknown one is -32601', async () => {
    const { connection } = official();
    expect(await connection.request('_agent/echo', { a: [1] })).toEqual({ echo: { a: [1] } });
    await official().seen();
    await connection.notify('_agent/note', { b: 2 });
    // The SDK may answer a later request before it has handled a notification.
    let seen = await official().seen();
    for (let asked = 0; seen.length === 0 && asked < 100; asked++) seen = await official().seen();
    expect(seen).toEqual([{ method: '_agent/note', params: { b: 2 } }]);
    await expect(connection.request('_agent/unknown', {})).rejects.toMatchObject({ rpcCode: -32601 });
    const session = await connection.newSession({ cwd: cwd() });
    await session.prompt('extension');
    const { sessionId } = session;
    expect(outline(session.conversation).at(-1)).toBe(
      `agent: ${JSON.stringify({ echo: { got: { sessionId, n: 1 } }, unknown: -32601 })}`,
    );
    expect(notes).toEqual([{ n: 2 }]);
  });

  if (isStable) {
    test('what is not stable is refused, as the agent does not offer it', async () => {
      const { connection } = official();
      await official().seen();
      await expect(connection.forkSession({ sessionId: 'x', cwd: cwd() })).rejects.toMatchObject({
        feature: 'session.fork',
      });
      await expect(connection.request('auth/status', {})).rejects.toMatchObject({ feature: 'auth.status' });
      expect(await official().seen()).toEqual([]);
    });
  } else {
    test('what is not stable works where the agent offers it', async () => {
      const { connection } = official();
      const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] } as const;
      await official().seen();
      const session = await connection.newSession({ cwd: cwd(), systemPrompt });
      const [seen] = await official().seen();
      expect(differences({ cwd: cwd(), mcpServers: [], systemPrompt }, seen?.params)).toEqual([]);
      await expect(
        connection.newSession({ cwd: cwd(), systemPrompt: { ...systemPrompt, mode: 'override' } }),
      ).rejects.toMatchObject({ feature: 'session.systemPrompt.override' });
      const forked = await connection.forkSession({ sessionId: session.sessionId, cwd: cwd() });
      expect(forked.sessionId).toBe('fork');
      await connection.request('session/archive', { sessionId: session.sessionId });
      await connection.request('session/unarchive', { sessionId: session.sessionId });
      expect(await connection.listSessions({ archived: 'include' }).page()).toHaveProperty('sessions');
      expect(await connection.request('session/status', { sessionId: session.sessionId })).toEqual({
        status: 'open',
      });
      expect(
        await connection.request('session/set_title', { sessionId: session.sessionId, title: 'New' }),
      ).toEqual({ title: 'New!' });
      expect(await connection.request('auth/status', {})).toMatchObject({ state: 'unauthenticated' });
      expect(await connection.request('providers/list', {})).toMatchObject({
        providers: [{ providerId: 'p' }],
      });
      await connection.request('providers/set', {
        providerId: 'p',
        apiType: 'openai',
        baseUrl: 'https://example.com',
      });
      await connection.request('providers/disable', { providerId: 'p' });
    });
  }

  test('nothing that the agent sent was odd', () => {
    // The second one is about the directory of the tests, which does not exist.
    const ours = ['rpc.unknown_request', 'session.missing_directory'];
    expect(official().diagnostics.filter(({ rule }) => !ours.includes(rule))).toEqual([]);
  });
}
