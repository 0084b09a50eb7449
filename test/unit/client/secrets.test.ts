import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { preview } from '../../../src/core/base/diagnostic.ts';
import { AcpError, SpawnError } from '../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, refuses } from '../../support/agents.ts';
import { connectFlushable, deliver, flush } from '../../support/open-session.ts';
import { toolCallUpdate } from '../../support/updates.ts';

const secret = 'hunter2-and-no-one-else';
const cwd = '/home/user/project';
const mcpServers = [
  { type: 'stdio', name: 'one', command: '/bin/one', args: [], env: [{ name: 'KEY', value: secret }] },
  {
    type: 'http',
    name: 'two',
    url: `https://user:${secret}@two.example`,
    headers: [{ name: 'Authorization', value: secret }],
  },
] as never;
const pin = 12345678;
const stdio = { type: 'stdio', name: 'one', command: '/x', args: [], env: [] };
const _meta: JsonObject = { 'example.org/key': secret };

/** Connects with everything on that writes something down. */
async function listening(initialize: JsonObject, script: (agent: ScriptedAgent) => unknown) {
  const trace: unknown[] = [];
  const connect = { trace: { write: (record: unknown) => trace.push(record) } };
  return { ...(await connectFlushable(initialize, { script, connect })), trace };
}

/** All that an error tells, however it is looked at, but for the agent's own answer, which is kept as it came. */
function told(error: unknown): string {
  if (!AcpError.is(error)) throw error;
  return `${error.stack} ${JSON.stringify(error)} ${inspect(error, { depth: 9 })}`;
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('It was to fail.');
    },
    (error: unknown) => error,
  );

describe.each(dialectNames)('secrets of the editor in %s', (dialect) => {
  /** What the agent was given, sent back in every place that makes a diagnostic or an error of ours. */
  const echo = {
    cwd,
    mcpServers,
    _meta,
    headers: { Authorization: secret },
    env: [{ name: 'KEY', value: secret }],
  };

  test('[security: secrets-in-diagnostics] are not in the error about a wrong result that contains them', async () => {
    const { agent, connection } = await listening(everything[dialect], (scripted) =>
      scripted.on('session/new', (params) => ({ sessionId: 7, ...params, ...echo })),
    );
    const error = await failure(connection.newSession({ cwd, mcpServers, _meta }));
    expect(JSON.stringify(agent.calls('session/new'))).toContain(secret);
    expect(error).toMatchObject({ code: 'protocol.message' });
    expect(told(error)).not.toContain(secret);
  });

  test('[security: secrets-in-diagnostics] are not in the diagnostic about a message that contains them', async () => {
    const { agent, connection, diagnostics } = await listening(everything[dialect], (scripted) =>
      scripted.on('session/new', { sessionId: 's1' }),
    );
    await connection.newSession({ cwd, mcpServers, _meta });
    agent.notify('_vendor/log', echo as never);
    agent.notify('session/update', { ...echo, update: echo } as never);
    agent.update('s1', { sessionUpdate: 'tool_call_update', title: 'no id', rawInput: echo });
    agent.update('unknown', { sessionUpdate: 'plan', ...echo });
    agent.channel.send(
      { jsonrpc: '2.0', id: 99, result: echo },
      { error: { code: 1, message: '', data: echo } },
    );
    agent.channel.send([{ jsonrpc: '2.0', result: echo }], { ...echo });
    await flush(agent);
    expect(new Set(diagnostics.map(({ rule }) => rule))).toEqual(
      new Set([
        'rpc.unknown_notification',
        'protocol.malformed_update',
        'protocol.unknown_session',
        'rpc.unknown_response',
        'rpc.error_without_id',
        'rpc.batch',
        'rpc.invalid_message',
      ]),
    );
    expect(JSON.stringify(diagnostics)).not.toContain(secret);
  });

  test('[security: secrets-in-refusals] are not in the error of a refused call', async () => {
    const { connection } = await listening(everything[dialect], () => {});
    const servers: readonly unknown[] = [
      [{ ...stdio, env: secret }],
      [{ type: 'http', name: 'two', url: 'https://x', headers: secret }],
      [{ ...stdio, args: secret }],
      secret,
      [secret],
      [{ ...stdio, env: [{ name: 'PIN', value: pin }] }],
      [{ ...stdio, env: [pin] }],
      [{ ...stdio, args: [pin] }],
    ];
    const provider = { providerId: 'p', apiType: 'openai', baseUrl: 'https://x' };
    const wrong = [
      ...servers.map((mcpServers) => () => connection.newSession({ cwd, mcpServers: mcpServers as never })),
      () => connection.newSession({ cwd, mcpServers: [], _meta: pin as never }),
      () => connection.request('providers/set', { ...provider, headers: secret as never }),
    ];
    for (const call of wrong) {
      const error = await failure(call());
      expect(told(error)).not.toContain(secret);
      expect(told(error)).not.toContain(String(pin));
    }
  });

  test('[security: secrets-in-errors] are not in an error of the agent that repeats them', async () => {
    const url = 'https://user:short@host';
    const { connection } = await listening(everything[dialect], (scripted) =>
      scripted
        .on(
          'session/new',
          refuses(-32603, `The server rejected ${secret} at ${url}.`, {
            sent: [`KEY=${secret}`, url],
          }),
        )
        .on('_test/echo', (params) => {
          throw new RequestError(-32603, `Not ${JSON.stringify(params)}.`);
        }),
    );
    const refused = await failure(connection.newSession({ cwd, mcpServers }));
    expect(refused).toMatchObject({
      message: expect.stringContaining('rejected [redacted] at https://[redacted]@host.'),
      data: { sent: ['KEY=[redacted]', 'https://[redacted]@host'] },
    });
    const extension = await failure(connection.request('_test/echo', { text: secret }));
    for (const error of [refused, extension]) {
      expect(told(error)).not.toContain(secret);
      expect(told(error)).not.toContain('short');
    }
  });

  test('[security: secrets-in-diagnostics] are not in a diagnostic about a text that repeats them', async () => {
    const { agent, connection, diagnostics } = await listening(everything[dialect], (scripted) =>
      scripted.on('session/new', { sessionId: 's1' }),
    );
    await connection.newSession({ cwd, mcpServers });
    agent.notify('_vendor/log', { text: `sent ${secret}` });
    // The preview is cut off in the middle of the secret.
    agent.notify('_vendor/long', { text: `${'x'.repeat(235)} ${secret}` });
    agent.channel.write(`KEY=${secret}\n`);
    await flush(agent);
    expect(diagnostics.map(({ rule }) => rule)).toContain('transport.noise');
    expect(JSON.stringify(diagnostics)).not.toContain(secret.slice(0, 8));
  });

  test('[security: secrets-in-traces] are not in a trace, also where the agent repeats them', async () => {
    const { agent, connection, trace } = await listening(everything[dialect], (scripted) =>
      scripted
        .on('session/new', (params) => ({ sessionId: 's1', received: params }))
        .on('_test/echo', (params) => {
          throw new RequestError(-32603, `Not ${JSON.stringify(params)}.`, { received: params });
        })
        .on('providers/set', {})
        .on('authenticate', {})
        .on('auth/login', {})
        .on('session/prompt', dialect === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'u1' }),
    );
    const session = await connection.newSession({ cwd, mcpServers, _meta });
    await connection.request('providers/set', {
      providerId: 'p',
      apiType: 'openai',
      baseUrl: 'https://x',
      headers: { Authorization: secret },
    });
    await session.prompt('Hello.', { meta: _meta }).accepted;
    await connection.request('session/new', { cwd, mcpServers: [], _meta });
    await failure(connection.request('_test/echo', { mcpServers } as never));
    await deliver(agent, {
      sessionUpdate: 'agent_message_chunk',
      ...(dialect !== 'v1' && { messageId: 'm' }),
      content: { type: 'text', text: `Your key is ${secret}.` },
    });
    // The user sees what the agent wrote, and the trace folds to the same entries without the secret.
    const shown = JSON.stringify(session.conversation.entries);
    expect(shown).toContain(`Your key is ${secret}.`);
    const folded = await foldTraffic(trace.map((record) => JSON.stringify(record)));
    const entries = folded.sessions.find(({ conversation }) => conversation.sessionId === 's1')?.conversation
      .entries;
    expect(entries).toEqual(JSON.parse(shown.replaceAll(secret, '[redacted]')));
    expect(trace.length).toBeGreaterThan(8);
    expect(JSON.stringify(trace)).not.toContain(secret);
    expect(JSON.stringify(trace)).toContain('[redacted]@two.example');
  });

  test('[security: secrets-in-errors] in the metadata of any call are not repeated', async () => {
    const refuse = (params: JsonObject) => {
      throw new RequestError(-32603, `Bad ${JSON.stringify(params['_meta'])}.`, {
        type: params['_meta'],
      } as never);
    };
    const { agent, connection, diagnostics, trace } = await listening(everything[dialect], (scripted) =>
      scripted.on('session/new', { sessionId: 's1' }).on('session/prompt', refuse).on('_test/echo', refuse),
    );
    const session = await connection.newSession({ cwd });
    const errors = [
      await failure(session.prompt('Hello.', { meta: _meta })),
      await failure(connection.request('_test/echo', {}, { meta: _meta })),
    ];
    agent.notify('_vendor/log', { text: secret });
    await flush(agent);
    expect(JSON.stringify(agent.received)).toContain(secret);
    for (const error of errors) {
      expect(told(error)).toContain('[redacted]');
      expect(told(error)).not.toContain(secret);
    }
    expect(JSON.stringify([diagnostics, trace])).not.toContain(secret);
  });

  test('[security: secrets-in-traces] in the query of the URL of an MCP server are not in a trace', async () => {
    const { agent, connection, trace } = await listening(everything[dialect], (scripted) =>
      scripted.on('session/new', ({ mcpServers }) => {
        throw new RequestError(-32603, `No answer from ${JSON.stringify(mcpServers)}.`);
      }),
    );
    const url = `https://two.example/mcp?token=${secret}&short=abc`;
    const server = { type: 'http', name: 'two', url, headers: [] } as never;
    const error = await failure(connection.newSession({ cwd, mcpServers: [server] }));
    expect(JSON.stringify(agent.received)).toContain(url);
    expect(JSON.stringify(trace)).toContain('https://two.example/mcp?token=[redacted]&short=[redacted]');
    expect(`${told(error)}${JSON.stringify(trace)}`).not.toContain(secret);
  });

  test('[security: secrets-in-errors] in the metadata of initialize are not in the error of connect', async () => {
    const agent = scriptedAgent().on('initialize', (params) => {
      throw new RequestError(-32603, `Bad ${JSON.stringify(params)}.`);
    });
    const failing = connect(agent.transport, {
      clientInfo: { name: 'test', version: '0' },
      meta: _meta,
      clientCapabilities: { _meta: { key: `${secret}-2` } },
    });
    const error = await failure(failing);
    expect(JSON.stringify(agent.received)).toContain(`${secret}-2`);
    expect(told(error)).not.toContain(secret);
  });
});

test('_meta of updates is not in a transcript as HTML', async () => {
  const { agent, connection } = await listening(everything['v2-baseline'], (scripted) =>
    scripted.on('session/new', { sessionId: 's1' }),
  );
  const session = await connection.newSession({ cwd });
  await deliver(
    agent,
    { sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'text', text: 'Hi', _meta }], _meta },
    toolCallUpdate({ title: 'Read', status: 'completed', _meta }, 't'),
    { sessionUpdate: 'session_info_update', title: 'Title', _meta },
  );
  const conversation = session.conversation;
  expect(JSON.stringify(conversation)).toContain(secret);
  expect(renderHtml(conversation)).not.toContain(secret);
});

test('[security: environment] the environment of a program that cannot be started is not in the error', async () => {
  const agent = spawnAgent({ command: 'no-such-agent', args: [], env: { API_KEY: secret } });
  const error = await failure(connect(agent, { clientInfo: { name: 'test', version: '0' } }));
  expect(error).toBeInstanceOf(SpawnError);
  expect(told(error)).not.toContain(secret);
});

describe('a preview', () => {
  test.each([
    ['env', [{ name: 'A', value: secret }]],
    ['headers', { Authorization: secret }],
    ['_meta', { any: secret }],
    ['apiKey', secret],
    ['api_key', secret],
    ['OPENAI_API_KEY', secret],
    ['accessToken', secret],
    ['token', secret],
    ['client_secret', secret],
    ['password', secret],
    ['Authorization', secret],
    ['credentials', { user: secret }],
    ['set-cookie', secret],
  ])('does not show the value of %s', (key, value) => {
    const shown = preview({ before: 1, [key]: value, nested: [{ [key]: value }], after: 2 });
    expect(shown).not.toContain(secret);
    expect(shown).toContain('"after":2');
  });

  test('shows other values', () => {
    const value = {
      tokens: 5,
      inputTokens: 7,
      title: 'Secretary',
      list: [1, null, 'a"b', { deep: [] }],
      no: null,
    };
    expect(preview(value)).toBe(JSON.stringify(value));
  });

  test('takes time for what it shows, not for the size of the value', () => {
    const wide = new Array(1_000_000).fill('x'.repeat(1000));
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    for (const value of [wide, deep, { wide, deep }]) expect(preview(value).length).toBeLessThanOrEqual(257);
    expect(preview('y'.repeat(10_000_000))).toHaveLength(257);
  });
});

test('[security: secrets-in-errors] the last words of an agent do not contain what it was sent', async () => {
  const program = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = ${JSON.stringify(everything.v1)};
      if (method === 'initialize') return console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      process.stderr.write(line, () => process.exit(1));
    });`;
  await using connection = await connect(spawnAgent({ command: process.execPath, args: ['-e', program] }), {
    clientInfo: { name: 'test', version: '0' },
  });
  const error = await failure(connection.newSession({ cwd, mcpServers }));
  const end = await connection.closed;
  expect(end.exit?.stderrTail).toContain('[redacted]');
  expect(JSON.stringify(end)).not.toContain(secret);
  expect(told(error)).toContain('KEY');
  expect(told(error)).not.toContain(secret);
});
