import { describe, expect, onTestFinished, test } from 'vitest';
import { MethodNotFoundError, RemoteError, UsageError } from '../../../src/base/errors.ts';
import { connect } from '../../../src/client/connect.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { type ScriptedAgent, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

function unknown(): never {
  throw new RequestError(-32601, 'Method not found', { method: 'x' });
}

describe.each(dialectNames)('an agent without a method that it advertised, in %s', (dialect) => {
  test('its answer is an error of the agent, with what it sent and what it advertised', async () => {
    const { session } = await openSession(dialect, {
      script: (agent) => agent.on('session/close', unknown),
    });
    const error = await session.close().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(MethodNotFoundError);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).not.toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      code: 'remote.method_not_found',
      method: 'session/close',
      rpcCode: -32601,
      data: { method: 'x' },
      agentMessage: 'Method not found',
      feature: 'session.close',
      missing: [{ feature: 'session.close', reason: expect.stringContaining('The agent advertised it') }],
    });
    expect(session.isClosed).toBe(false);
  });

  test('a prompt that it does not know was not accepted, and leaves the conversation', async () => {
    const { session } = await openSession(dialect, {
      script: (agent) => agent.on('session/prompt', unknown),
    });
    const turn = session.prompt('Go.');
    expect(session.conversation.entries).toHaveLength(1);
    await expect(turn).rejects.toMatchObject({
      code: 'remote.method_not_found',
      promptAccepted: false,
      feature: 'session',
    });
    expect(session.conversation.entries).toEqual([]);
  });

  test('an extension method needs no capability', async () => {
    const { connection } = await openSession(dialect, { script: (agent) => agent.on('_x', unknown) });
    await expect(connection.request('_x')).rejects.toMatchObject({
      code: 'remote.method_not_found',
      missing: [],
      feature: '',
    });
  });
});

test('a session is loaded after a crash if the agent does not know how to resume it', async () => {
  const agents: ScriptedAgent[] = [];
  const connection = await connect(
    () => {
      const agent = scriptedAgent()
        .on('initialize', everything.v1)
        .on('session/new', { sessionId: 's1' })
        .on('session/resume', unknown)
        .on('session/load', {});
      agents.push(agent);
      return agent.transport;
    },
    { clientInfo: { name: 'test', version: '0' }, reconnect: { firstDelayMs: 1 } },
  );
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd });
  const isReconnecting = new Promise<void>((resolve) => {
    connection.onStateChange(() => resolve());
  });
  agents[0]?.channel.end();
  await isReconnecting;
  await connection.ready;
  expect(agents[1]?.calls('session/load')).toHaveLength(1);
  expect(session.isClosed).toBe(false);
});
