import { expect, test } from 'vitest';
import type { PermissionRequest } from '../../src/client/requests/handlers.ts';
import type { Session } from '../../src/client/session/session.ts';
import type { SessionMcpServer } from '../../src/model/mcp-server.ts';
import { outline, toolCalls } from '../support/open-session.ts';
import { differences, type Official } from './official.ts';

interface Peer {
  /** The agent, while tests run. Its editor accepts forms as Ada and has the extensions `_client/echo` and `_client/note`. */
  official(): Official;
  cwd(): string;
  /** The permission requests of the agent. Each is answered with the option in `answers`. */
  readonly asked: readonly PermissionRequest[];
  readonly answers: { permission: string };
  /** What a permission request for an edit has. */
  readonly asks: object;
  /** An MCP server that the agent does not support. */
  readonly unsupported: { readonly server: SessionMcpServer; readonly feature: string };
  /** The parameters of each `_client/note`. */
  readonly notes: readonly unknown[];
  /** Whether the agent is made with the stable part of the SDK. */
  readonly isStable: boolean;
}

/** Resolves when the conversation is so. */
export function until(session: Session, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isSo()) return resolve();
    const stop = session.store.subscribe(() => {
      if (!isSo()) return;
      stop();
      resolve();
    });
  });
}

/** What holds in both versions. */
export function testBothVersions(peer: Peer): void {
  const { official, cwd, asked, answers, notes, isStable } = peer;

  test('permission: asked with the tool call applied, answered with the option', async () => {
    for (const choice of ['allow', 'deny']) {
      answers.permission = choice;
      const session = await official().connection.newSession({ cwd: cwd() });
      await session.prompt('permission');
      expect(asked.at(-1)).toMatchObject(peer.asks);
      expect(outline(session.conversation)).toEqual([
        'user: permission',
        `t2: ${choice === 'allow' ? 'completed' : 'failed'}`,
        `agent: The answer was ${choice}.`,
      ]);
    }
    answers.permission = 'allow';
  });

  test('cancel: the turn ends cancelled, the open permission with it, and what is said last is taken', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    const turn = session.prompt('wait');
    await until(session, () => toolCalls(session.conversation).length > 0);
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    const lines = outline(session.conversation);
    expect(lines.slice(0, 2)).toEqual(['user: wait', 't4: cancelled']);
    // The permission was answered before the cancel, or by it.
    expect(lines.at(-1)).toMatch(/^agent: Stopped: (selected|cancelled)\.$/);
  });

  test('what was not advertised is not sent', async () => {
    const { connection } = official();
    await official().seen();
    const session = await connection.newSession({ cwd: cwd() });
    const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } as const;
    await expect(session.prompt([audio])).rejects.toMatchObject({ feature: 'session.prompt.audio' });
    const { server, feature } = peer.unsupported;
    const refused = connection.newSession({ cwd: cwd(), mcpServers: [server] });
    await expect(refused).rejects.toMatchObject({ feature });
    expect((await official().seen()).map(({ method }) => method)).toEqual(['session/new']);
  });

  test('logins and logouts', async () => {
    const { connection } = official();
    const session = await connection.newSession({ cwd: cwd() });
    await expect(session.prompt('login')).rejects.toMatchObject({ code: 'remote.auth_required' });
    await expect(connection.login('tui')).rejects.toMatchObject({ code: 'usage.params' });
    await connection.login('key');
    expect(await session.prompt('login')).toMatchObject({ stopReason: 'end_turn' });
    await connection.logout();
    await expect(session.prompt('login')).rejects.toMatchObject({ code: 'remote.auth_required' });
  });

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
