import { describe, expect, test } from 'vitest';
import { serverOf } from '../../../../src/agents/find.ts';
import { sessionMethods } from '../../../../src/core/protocol/session-methods.ts';
import { HttpClient } from '../../../../src/core/transport/http/http-client.ts';
import { SocketOrHttp } from '../../../../src/core/transport/http/socket-or-http.ts';
import { StreamableHttpTransport } from '../../../../src/core/transport/http/streamable-http.ts';
import { type AgentEnd, memoryTransport } from '../../../../src/core/transport/memory/memory-transport.ts';
import type { Transport, TransportListener } from '../../../../src/core/transport/transport.ts';
import { listened } from '../../../support/listened.ts';
import { answerTo, chunk } from '../../../support/raw-acp-server.ts';
import { allHappened, TimedServer } from '../../../support/timed-acp-server.ts';

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };
const call = { jsonrpc: '2.0', id: 1, method: 'session/list', params: {} };

/** The answer of a server that is known to be wrong over a WebSocket. */
const wrong = answerTo(initialize, {
  protocolVersion: 1,
  agentCapabilities: { _meta: { qwen: { connectionId: 'c1' } } },
});
const right = answerTo(initialize, { protocolVersion: 1 });
const refusal = { jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'No such version.' } };

/** What the client has written to one way. */
function linesOf(agent: AgentEnd): unknown[] {
  const lines: unknown[] = [];
  agent.onLine((line) => lines.push(JSON.parse(line)));
  agent.onEnd(() => lines.push('end'));
  return lines;
}

/** A channel whose two ways are in memory. */
function make(listener: Partial<TransportListener> = {}, openHttp?: () => Transport) {
  const [socket, http] = [memoryTransport(), memoryTransport()];
  const [overSocket, overHttp] = [linesOf(socket.agent), linesOf(http.agent)];
  const faults: string[] = [];
  const transport = new SocketOrHttp({
    socket: socket.transport,
    methods: { ...sessionMethods, webSocketFault: (result) => serverOf(result)?.webSocketFault },
    openHttp: (fault) => {
      faults.push(fault);
      return openHttp?.() ?? http.transport;
    },
  });
  const told = listened(transport, listener);
  let end: unknown;
  void transport.ended.then((how) => {
    end = how;
  });
  return {
    transport,
    socket: socket.agent,
    http: http.agent,
    overSocket,
    overHttp,
    faults,
    ...told,
    end: () => end,
  };
}

/** A channel that has taken the other way. */
async function exchanged() {
  const channel = make();
  await channel.transport.send(initialize);
  channel.socket.send(wrong);
  await allHappened();
  return channel;
}

describe('a channel over a WebSocket', () => {
  test('stays where nothing is wrong, and the agent can say anything before its answer', async () => {
    const { transport, socket, overSocket, faults, received, activity } = make();
    await transport.send(call);
    // The same result, for another call.
    const early = [chunk('s1', 'Early.'), answerTo(call, Reflect.get(wrong, 'result'))];
    socket.send(...early);
    await transport.send(initialize);
    await transport.send(call);
    socket.send(...early, right, wrong);
    await allHappened();
    expect(received).toEqual([...early, ...early, right, wrong]);
    expect([overSocket, faults]).toEqual([[call, initialize, call], []]);
    expect(activity()).toBeGreaterThan(0);
  });

  test('waits for an answer that has a result', async () => {
    const { transport, socket, overHttp, received } = make();
    await transport.send(initialize);
    socket.send(refusal, [7], wrong);
    await allHappened();
    expect(received).toEqual([refusal, [7]]);
    expect(overHttp).toEqual([initialize]);
  });

  test('is paused, ends and is closed as the WebSocket is, which confirms no end', async () => {
    const { transport, socket, overSocket, received, end } = make();
    transport.pause();
    socket.send(right);
    await allHappened();
    expect(received).toEqual([]);
    transport.resume();
    await allHappened();
    expect(received).toEqual([right]);
    const sending = transport.send(call);
    expect(transport.queuedBytes).toBe(JSON.stringify(call).length + 1);
    await sending;
    await transport.confirmEnd(new AbortController().signal);
    expect(end()).toBeUndefined();
    await transport.close();
    await allHappened();
    expect([overSocket.at(-1), end()]).toEqual(['end', {}]);
  });

  test('has ended when the WebSocket has, with its error', async () => {
    const { socket, end } = make();
    socket.exit({ exitCode: 3 });
    await allHappened();
    expect(end()).toMatchObject({ error: { exitCode: 3 } });
  });
});

describe('a channel to a server that is wrong over a WebSocket', () => {
  test('sends the call that makes the connection over HTTP, and leaves the WebSocket', async () => {
    const { transport, http, overSocket, overHttp, faults, received } = await exchanged();
    expect(received).toEqual([]);
    expect([overSocket, overHttp]).toEqual([[initialize, 'end'], [initialize]]);
    expect(faults).toEqual([expect.stringContaining('history')]);
    // The same server says the same.
    http.send(wrong);
    await transport.send(call);
    await allHappened();
    expect(received).toEqual([wrong]);
    expect(overHttp).toEqual([initialize, call]);
    await transport.send(initialize);
    http.send(wrong);
    await allHappened();
    expect([received.length, faults.length]).toEqual([2, 1]);
  });

  test('delivers nothing that the WebSocket brings after that', async () => {
    const { transport, socket, received, rules, end } = make();
    await transport.send(initialize);
    socket.write(
      `nonsense\n${[wrong, chunk('s1', 'Late.')].map((one) => JSON.stringify(one)).join('\n')}\nnonsense\n`,
    );
    await allHappened();
    expect([received, rules()]).toEqual([[], ['transport.noise']]);
    expect(end()).toBeUndefined();
  });

  test('is paused, ends and is closed as the other way is', async () => {
    const { transport, http, overHttp, received, rules, end, activity } = await exchanged();
    const before = activity();
    transport.pause();
    http.write(`nonsense\n${JSON.stringify(right)}\n`);
    await allHappened();
    expect(received).toEqual([]);
    transport.resume();
    await allHappened();
    expect([received, rules()]).toEqual([[right], ['transport.noise']]);
    expect(activity()).toBeGreaterThan(before);
    await transport.close();
    await allHappened();
    expect([overHttp.at(-1), end()]).toEqual(['end', {}]);
  });

  test('has ended when the other way has', async () => {
    const { http, end } = await exchanged();
    http.exit({ exitCode: 3 });
    await allHappened();
    expect(end()).toMatchObject({ error: { exitCode: 3 } });
  });
});

describe('a channel that has taken streamable HTTP', () => {
  async function overHttp(listener: Partial<TransportListener>) {
    const refused = new Set(['POST session/list', 'POST session/cancel']);
    const server = new TimedServer(({ kind }) => {
      if (refused.has(kind)) return new Response(null, { status: kind.endsWith('cancel') ? 409 : 500 });
      return kind === 'DELETE' ? new Response(null, { status: 502 }) : undefined;
    });
    const options = { fetch: server.fetch };
    const client = new HttpClient(new URL('http://127.0.0.1/acp'), options, () => {});
    const channel = make(listener, () => new StreamableHttpTransport(client, options, sessionMethods));
    await channel.transport.send(initialize);
    channel.socket.send(wrong);
    await allHappened();
    await channel.transport.send(call);
    await channel.transport.send({ method: 'session/cancel', params: { sessionId: 's1' } });
    await allHappened();
    return { ...channel, server };
  }

  test('tells of calls that failed and of sessions that were lost, and confirms its end', async () => {
    const failed: unknown[] = [];
    const { transport } = await overHttp({
      onRequestFailed: (id) => failed.push(id),
      onSessionLost: ({ sessionId }) => failed.push(sessionId),
    });
    expect(failed).toEqual([1, 's1']);
    await transport.close();
    const { signal } = new AbortController();
    await expect(transport.confirmEnd(signal)).rejects.toMatchObject({ status: 502 });
  });

  test('tells a listener only what it asks for', async () => {
    const { transport, diagnostics } = await overHttp({});
    expect(diagnostics).toEqual([]);
    await transport.close();
  });
});
