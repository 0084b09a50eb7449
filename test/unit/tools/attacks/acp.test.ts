import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { deferred } from '../../../../src/core/base/wait.ts';
import type { Tool } from '../../../../src/entries/tools.ts';
import { maxRequests } from '../../../../src/tools/acp.ts';
import { settle } from '../../../support/agents.ts';
import { eventually } from '../../../support/eventually.ts';
import { cwd } from '../../../support/open-session.ts';
import { connectTools, serverOf, waitingTool } from '../../../support/open-tools.ts';
import { describedTo } from '../../../support/tool-client.ts';
import {
  echoCall,
  expectServed,
  request,
  type ToolTarget,
  toolTarget,
} from '../../../support/tool-target.ts';

function send(
  { agent, server }: Pick<ToolTarget, 'agent' | 'server'>,
  members: JsonObject,
  { method = null, params = null }: JsonObject = echoCall(),
) {
  return agent.request('mcp/message', {
    serverId: String(server['serverId']),
    requestId: 'r1',
    method,
    params,
    ...members,
  });
}

describe('[security: tools-acp] over acp', () => {
  test('a message for another id than that of a server of the agent is refused', async () => {
    const target = await toolTarget('acp');
    const own = String(target.server['serverId']);
    const other = await toolTarget('acp');
    const others = String(other.server['serverId']);
    for (const serverId of ['editor:0', 'editor', own.slice(0, -1), '', '__proto__', [own], null, others]) {
      const { error } = await send(target, { serverId });
      expect(error, String(serverId)).toBeDefined();
      expect(JSON.stringify(error)).not.toContain(own);
      if (serverId === others) expect(error).toMatchObject({ code: -33_001 });
    }
    expect([target.ran, other.ran]).toEqual([[], []]);
    await expectServed(target);
    await expectServed(other);
  });

  test.each<JsonObject>([
    { requestId: 1 },
    { requestId: null },
    { method: {} },
    { params: [] },
    { params: 'x' },
    { params: { name: 'echo', _meta: [] } },
    { params: { name: 'echo', _meta: { progressToken: [] } } },
    ...['__proto__', 'initialize', 'notifications/cancelled', 'tools/__proto__', 'a'.repeat(100_000)].map(
      (method) => ({ method }),
    ),
  ])('what is no request that is served is answered with an error (%#)', async (members) => {
    const target = await toolTarget('acp');
    expect(JSON.stringify(await send(target, members))).toMatch(/"error"/);
    expect(target.ran).toEqual([]);
    await expectServed(target);
  });

  test('null as parameters is the same as none', async () => {
    const target = await toolTarget('acp');
    const { result } = await send(target, { params: null });
    // The error is that of MCP, which needs members in them.
    expect(result).toHaveProperty('error');
    await expectServed(target);
  });

  test('a requestId that is under way is refused, and its call goes on', async () => {
    const { signals, tool: wait } = waitingTool();
    const target = await toolTarget('acp', { wait });
    const first = send(target, {}, request('tools/call', 1, { name: 'wait' }));
    await eventually(() => signals.length).toBe(1);
    const { error } = await send(target, {}, request('tools/call', 1, { name: 'wait' }));
    const { serverId } = target.server;
    expect(error).toMatchObject({ code: -32_602, data: { serverId, requestId: 'r1' } });
    await settle();
    expect(signals).toMatchObject([{ aborted: false }]);
    target.agent.notify('$/cancel_request', { requestId: first.id });
    await first;
    // The id is free again.
    expect(JSON.stringify(await send(target, {}))).toContain('"ran"');
  });

  test('a cancellation that names another request, or comes as a message, ends no call', async () => {
    const { signals, tool: wait } = waitingTool();
    const target = await toolTarget('acp', { wait });
    const first = send(target, {}, request('tools/call', 1, { name: 'wait' }));
    await eventually(() => signals.length).toBe(1);
    for (const requestId of [first.id + 1000, 'r1', '__proto__', null]) {
      target.agent.notify('$/cancel_request', { requestId });
    }
    await settle();
    expect(signals).toMatchObject([{ aborted: false }]);
    target.agent.notify('$/cancel_request', { requestId: first.id });
    await first;
    expect(signals).toMatchObject([{ aborted: true }]);
    await expectServed(target);
  });

  test('96 requests can be under way, and a further one is refused until one has ended', async () => {
    const target = await toolTarget('acp');
    const listen = (id: number) => {
      const message = request('subscriptions/listen', id, { notifications: { toolsListChanged: true } });
      return send(target, { requestId: `r${id}` }, message);
    };
    const requests = Array.from({ length: maxRequests }, (_, id) => listen(id));
    const { error } = await listen(maxRequests);
    expect(error).toMatchObject({ code: -33_000, message: expect.stringContaining('96 requests') });
    target.agent.notify('$/cancel_request', { requestId: requests[0]?.id ?? null });
    await requests[0];
    await expectServed(target);
    for (const { id } of requests) target.agent.notify('$/cancel_request', { requestId: id });
    const answers = await Promise.all(requests);
    expect(JSON.stringify(answers)).not.toContain('under way already');
  });

  describe('a call before the answer to the call that opens the session', () => {
    /** An agent that answers `session/new` when the test says so, and a call of the tool before that. */
    async function early() {
      const sessions: string[] = [];
      const echo: Tool = { description: 'x', run: (_, { session }) => void sessions.push(session.sessionId) };
      const answered = deferred<JsonObject>();
      const { agent, connection } = await connectTools({
        script: (scripted) => scripted.on('session/new', () => answered.promise),
      });
      const session = connection.newSession({ cwd, mcpServers: [serverOf({ echo })] });
      session.catch(() => {});
      await agent.called('session/new');
      const call = send({ agent, server: describedTo(agent) }, {});
      await settle();
      expect(sessions).toEqual([]);
      return { answered, session, call, sessions };
    }

    test('waits for it', async () => {
      const { answered, session, call, sessions } = await early();
      answered.resolve({ sessionId: 's1' });
      expect(JSON.stringify(await call)).toContain('"content":[]');
      expect(sessions).toEqual([(await session).sessionId]);
    });

    test('never reaches the tool if the agent does not open it', async () => {
      const { answered, session, call, sessions } = await early();
      answered.reject(new Error('no'));
      await expect(session).rejects.toThrow();
      expect(JSON.stringify(await call)).toMatch(/"error"|"isError":true/);
      expect(sessions).toEqual([]);
    });
  });
});
