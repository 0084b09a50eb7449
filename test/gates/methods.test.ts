import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/protocol/dialect.ts';
import type { AgentMethod } from '../../src/protocol/method.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { type Connected, everything } from '../support/agents.ts';
import { cwd, flush, sent, sentSinceInitialize } from '../support/open-session.ts';
import { agentsWithout, connectIn, dialects } from './agents.ts';
import { sampleOf } from './samples.ts';

/** Makes the call by hand, as a request or a notification. */
function callByHand(
  { connection }: Connected,
  dialect: Dialect,
  method: AgentMethod,
  allowUnsupported = false,
) {
  const { params } = sampleOf(dialect, method);
  return method.result
    ? connection.request(method.method, params, { allowUnsupported })
    : connection.notify(method.method, params, { allowUnsupported });
}

/** A session in which every call has something to be about. */
async function openBusySession(dialect: Dialect): Promise<Connected> {
  const option = {
    ...(dialect.protocolVersion === 1 ? { id: 'model' } : { configId: 'model' }),
    name: 'Model',
    type: 'select',
    currentValue: 'small',
    options: [{ value: 'small', name: 'Small' }],
  };
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'code', name: 'Code' }] };
  const connected = await connectIn(dialect, everything[dialect.name], {
    script: (agent) => {
      for (const method of Object.values(dialect.agentMethods)) {
        const { result } = sampleOf(dialect, method);
        if (result) agent.on(method.method, result);
      }
      agent.on('session/new', { sessionId: 's1', modes, configOptions: [option] });
    },
  });
  await connected.connection.newSession({ cwd });
  const capabilities = { cancel: {} };
  if (dialect.protocolVersion === 2) {
    connected.agent.update(
      's1',
      { sessionUpdate: 'tool_call_update', toolCallId: 't1', capabilities },
      { sessionUpdate: 'terminal_update', terminalId: 'x', capabilities },
    );
  }
  await flush(connected.agent);
  return connected;
}

describe.each(dialects)('the gates of $name', (dialect) => {
  const methods = Object.values(dialect.agentMethods);
  const gated = methods.filter(({ requires }) => requires !== undefined);

  test('no method is free: each needs a feature of the dialect', () => {
    expect(methods.filter(({ requires }) => requires === undefined).map(({ method }) => method)).toEqual([]);
    for (const { requires } of gated) expect(dialect.features).toHaveProperty([requires as string]);
  });

  test.each(gated)('$method is refused without $requires, and nothing is sent', async (method) => {
    const feature = method.requires as NonNullable<typeof method.requires>;
    const { spelling } = dialect.features[feature];
    const without = agentsWithout(dialect, feature);
    // What every agent must support cannot be missing.
    expect(without.length === 0).toBe(spelling === 'always');
    for (const { initialize, path, value } of without) {
      const connected = await connectIn(dialect, initialize);
      const error = await callByHand(connected, dialect, method).catch((failure: unknown) => failure);
      expect(error).toMatchObject({
        name: 'CapabilityError',
        code: 'usage.capability',
        method: method.method,
        feature,
        answered: false,
        missing: [{ feature, path, value }],
      });
      const { message } = error as Error;
      expect(message).toContain('Nothing was sent.');
      expect(message).toContain(path);
      await flush(connected.agent);
      expect(sentSinceInitialize(connected.agent)).toEqual([]);
    }
  });

  test.each(gated)('$method is sent with $requires, as it is', async (method) => {
    const connected = await openBusySession(dialect);
    await callByHand(connected, dialect, method);
    await flush(connected.agent);
    const { params } = sampleOf(dialect, method);
    expect(sent(connected.agent).map((message) => [message.method, message.params])).toEqual([
      [method.method, params],
    ]);
  });

  test.each(gated)('$method is sent without $requires where the call allows it', async (method) => {
    for (const { initialize } of agentsWithout(
      dialect,
      method.requires as NonNullable<typeof method.requires>,
    )) {
      const { params, result = {} } = sampleOf(dialect, method);
      const connected = await connectIn(dialect, initialize, {
        script: (agent) => agent.on(method.method, result),
      });
      await callByHand(connected, dialect, method, true);
      await flush(connected.agent);
      expect(sentSinceInitialize(connected.agent)).toMatchObject([{ method: method.method, params }]);
      // The permission was for that call, and not for the next.
      await expect(callByHand(connected, dialect, method)).rejects.toMatchObject({
        code: 'usage.capability',
      });
    }
  });

  const requests = gated.filter(({ result }) => result !== undefined);

  test.each(requests)(
    'error -32601 to $method is a CapabilityError that says it was answered',
    async (method) => {
      const connected = await openBusySession(dialect);
      connected.agent.on(method.method, () => {
        throw new RequestError(-32601, 'Method not found');
      });
      const error = await callByHand(connected, dialect, method).catch((failure: unknown) => failure);
      expect(error).toMatchObject({
        name: 'CapabilityError',
        method: method.method,
        feature: method.requires,
        answered: true,
        cause: { rpcCode: -32601 },
      });
      expect((error as Error).message).not.toContain('Nothing was sent');
    },
  );

  test('a request is not sent as a notification, nor the other way round', async () => {
    const connected = await openBusySession(dialect);
    for (const method of gated) {
      const { params } = sampleOf(dialect, method);
      const wrong = method.result
        ? connected.connection.notify(method.method, params)
        : connected.connection.request(method.method, params);
      await expect(wrong, method.method).rejects.toMatchObject({
        code: 'usage.params',
        method: method.method,
      });
    }
    await flush(connected.agent);
    expect(sent(connected.agent)).toEqual([]);
  });
});
