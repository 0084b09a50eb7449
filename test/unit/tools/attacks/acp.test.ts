import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { deferred } from '../../../../src/base/wait.ts';
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
  test.each<[string, (target: ToolTarget) => JsonValue]>([
    ['an unknown id', () => 'editor:0'],
    ['the name of the server', () => 'editor'],
    ['a part of the id', ({ server }) => String(server['serverId']).slice(0, -1)],
    ['an empty id', () => ''],
    ['__proto__', () => '__proto__'],
    ['a list', ({ server }) => [String(server['serverId'])]],
    ['null', () => null],
  ])('a message for %s is refused', async (_, serverId) => {
    const target = await toolTarget('acp');
    const { error } = await send(target, { serverId: serverId(target) });
    expect(error).toBeDefined();
    expect(JSON.stringify(error)).not.toContain(String(target.server['serverId']));
    expect(target.ran).toEqual([]);
    await expectServed(target);
  });

  test("another agent's id of a server is refused", async () => {
    const target = await toolTarget('acp');
    const other = await toolTarget('acp');
    const { error } = await send(target, { serverId: String(other.server['serverId']) });
    expect(error).toMatchObject({ code: -33_001 });
    expect(other.ran).toEqual([]);
    await expectServed(target);
    await expectServed(other);
  });

  test.each<[string, JsonObject]>([
    ['a number as requestId', { requestId: 1 }],
    ['no requestId', { requestId: null }],
    ['an object as method', { method: {} }],
    ['parameters that are a list', { params: [] }],
    ['parameters that are a text', { params: 'x' }],
    ['_meta that is a list', { params: { name: 'echo', _meta: [] } }],
    ['a progress token that is a list', { params: { name: 'echo', _meta: { progressToken: [] } } }],
  ])('%s is refused', async (_, members) => {
    const target = await toolTarget('acp');
    const answer = await send(target, members);
    expect(JSON.stringify(answer)).toMatch(/"error"/);
    expect(target.ran).toEqual([]);
    await expectServed(target);
  });

  test.each(['__proto__', 'initialize', 'notifications/cancelled', 'tools/__proto__', 'a'.repeat(100_000)])(
    'a method that is not served is answered (%#)',
    async (method) => {
      const target = await toolTarget('acp');
      const answer = await send(target, { method });
      expect(JSON.stringify(answer)).toMatch(/"error"/);
      await expectServed(target);
    },
  );

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

  test('a call after the end of its session is refused', async () => {
    const target = await toolTarget('acp');
    await target.session.close();
    const { error } = await send(target, {});
    expect(error).toMatchObject({ code: -33_001 });
    expect(target.ran).toEqual([]);
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
