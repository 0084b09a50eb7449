import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ConnectionClosedError, HttpError, TimeoutError } from '../../../../src/base/errors.ts';
import { remoteTransport } from '../../../../src/client/remote.ts';
import { HttpClient } from '../../../../src/transport/http/http-client.ts';
import { openWebSocket, webSocketFor } from '../../../../src/transport/http/open-web-socket.ts';
import type {
  RemoteTransportOptions,
  WebSocketConstructor,
} from '../../../../src/transport/remote-options.ts';
import type { WebSocketLike } from '../../../../src/transport/websocket.ts';
import { answerTo } from '../../../support/raw-acp-server.ts';
import { allHappened, TimedServer } from '../../../support/timed-acp-server.ts';

const secret = 'secret-token-0123456789';

/** A socket with the events of a platform's, which say no reason. It does nothing by itself. */
class PlainSocket extends EventTarget {
  readyState = 0;
  binaryType = '';
  closes = 0;
  send(): void {}
  close(): void {
    this.closes++;
  }
  /** Lets it fail, and end. */
  fails(...events: readonly string[]): void {
    for (const type of events) this.dispatchEvent(new Event(type));
  }
}

/** A socket with the events of the package `ws` as well. */
class UpgradedSocket extends PlainSocket {
  readonly #events = new EventEmitter();
  on = this.#events.on.bind(this.#events);
  emit = this.#events.emit.bind(this.#events);
}

/** Opens a socket, once. */
function open(
  socket: () => object,
  options: RemoteTransportOptions = {},
  url = 'https://agents.example.com/acp',
) {
  const asked: (readonly [url: string, headers: Record<string, string>])[] = [];
  const control = new AbortController();
  const client = new HttpClient(new URL(url), options, () => {});
  const make = (...request: readonly [url: string, headers: Record<string, string>]) => {
    asked.push(request);
    // Each has what the transport uses.
    return socket() as WebSocketLike;
  };
  const opening = openWebSocket(make, client, options, control.signal);
  return {
    asked,
    control,
    opening,
    failed: opening.then(
      () => undefined,
      (error: unknown) => error,
    ),
  };
}

/** Lets the socket be made. */
const made = () => allHappened();

const listening = async (server: ReturnType<typeof createTcpServer>) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

/** A server that refuses an upgrade with a status, unless a header says that it may not. */
async function refusing(status: number, isAccepted: (request: IncomingMessage) => boolean = () => false) {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const headers: (string | undefined)[] = [];
  http.on('upgrade', (request, socket, head) => {
    headers.push(request.headers.authorization);
    if (isAccepted(request)) return sockets.handleUpgrade(request, socket, head, (one) => one.close());
    return socket.end(
      `HTTP/1.1 ${status} No\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 0\r\n\r\n`,
    );
  });
  return { url: `http://127.0.0.1:${await listening(http)}/acp`, headers };
}

const wsSocket = (...[url, headers]: readonly [url: string, headers: Record<string, string>]) =>
  new WebSocket(url, [], { headers });

/** Opens a real socket. */
function openReal(url: string, options: RemoteTransportOptions = {}) {
  const client = new HttpClient(new URL(url), options, () => {});
  const { signal } = new AbortController();
  return openWebSocket((to, headers) => wsSocket(to, headers), client, options, signal);
}

describe('a WebSocket', () => {
  test('of the caller gets the headers and the limit of a message', async () => {
    const given: unknown[] = [];
    class Given {
      constructor(...parameters: readonly unknown[]) {
        given.push(...parameters);
      }
    }
    const options = { WebSocket: Given as unknown as WebSocketConstructor, maxMessageBytes: 5000 };
    const make = await webSocketFor(options);
    expect(make?.('wss://x/acp', { a: '1' })).toBeInstanceOf(Given);
    expect(given).toEqual(['wss://x/acp', [], { headers: { a: '1' }, maxPayload: 5000 }]);
  });

  test('is opened at the URL of the server, with its headers', async () => {
    const socket = new PlainSocket();
    const { asked, opening } = open(() => socket, { headers: { a: '1' } });
    await made();
    socket.fails('open');
    expect(await opening).toBe(socket);
    expect(asked).toEqual([['wss://agents.example.com/acp', { a: '1' }]]);
    expect(socket.closes).toBe(0);
  });

  test('that cannot be made is an error with the reason, and without secrets', async () => {
    const headers = { authorization: `Bearer ${secret}` };
    const fault = new SyntaxError(`Bad header ${secret}`);
    const { failed } = open(
      () => {
        throw fault;
      },
      { headers },
    );
    const error = await failed;
    expect(error).toBeInstanceOf(ConnectionClosedError);
    const { message, cause } = error as Error;
    expect(message).toBe(
      'The WebSocket wss://agents.example.com/acp could not be made: Bad header [redacted].',
    );
    expect(cause).toMatchObject({ message: 'Bad header [redacted]' });
  });

  test.each([
    [['error', 'close'], 'could not be opened.'],
    [['close'], 'was closed before it was open.'],
  ])('that says no reason and only %j is an error', async (events, message) => {
    const socket = new PlainSocket();
    const { failed } = open(() => socket);
    await made();
    socket.fails(...events);
    expect(await failed).toMatchObject({
      code: 'connection.closed',
      message: `The WebSocket wss://agents.example.com/acp ${message}`,
    });
  });

  test('that nothing answers is an error with the reason', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    let calls = 0;
    const failed = await openReal(`http://127.0.0.1:${port}/acp`, {
      headers: () => ({ a: `${++calls}` }),
    }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: expect.stringMatching(/could not be opened: connect ECONNREFUSED/),
      cause: { code: 'ECONNREFUSED' },
    });
    expect(calls).toBe(1);
  });

  test('that a server keeps waiting is given up after the time limit, and leaves no connection', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    const accepted = once(server, 'connection');
    const failed = openReal(`http://127.0.0.1:${port}/acp`, { openTimeoutMs: 50 }).catch(
      (error: unknown) => error,
    );
    const [connection] = await accepted;
    const closed = once(connection.resume(), 'close');
    const error = await failed;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      timeoutMs: 50,
      message: expect.stringContaining('did not open within 50 ms'),
    });
    await closed;
  });

  test('of a platform that is given up is closed', async () => {
    const socket = new PlainSocket();
    const { control, failed } = open(() => socket);
    await made();
    const reason = new Error('given up');
    control.abort(reason);
    expect(await failed).toBe(reason);
    expect(socket.closes).toBe(1);
  });
});

describe('an upgrade that the server refuses', () => {
  test('with 401 is tried again with new headers, and not a third time', async () => {
    const tokens = () => {
      let count = 0;
      return () => ({ authorization: `token-${++count}` });
    };
    const { url, headers } = await refusing(401, (request) => request.headers.authorization === 'token-2');
    await openReal(url, { headers: tokens() });
    expect(headers).toEqual(['token-1', 'token-2']);
    const strict = await refusing(401);
    await expect(openReal(strict.url, { headers: tokens() })).rejects.toMatchObject({
      cause: { status: 401 },
    });
    expect(strict.headers).toEqual(['token-1', 'token-2']);
  });

  test('with another status asks for no new headers, and its error has the status and the cookies are kept', async () => {
    let calls = 0;
    const set: string[] = [];
    const cookies = { getCookieString: () => '', setCookie: (header: string) => void set.push(header) };
    const { url } = await refusing(403);
    const error = await openReal(url, { headers: () => ({ a: `${++calls}` }), cookies }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ message: expect.stringContaining('answered with status 403 instead') });
    const { cause } = error as Error;
    expect(cause).toBeInstanceOf(HttpError);
    expect(cause).toMatchObject({ status: 403, body: '' });
    expect([calls, set]).toEqual([1, ['a=1', 'b=2']]);
  });

  test.each([
    ['one cookie', { 'set-cookie': 'a=1' }, ['a=1']],
    ['no cookie', {}, []],
  ])('can set %s', async (_, headers, kept) => {
    const set: string[] = [];
    const cookies = { getCookieString: () => '', setCookie: (header: string) => void set.push(header) };
    const socket = new UpgradedSocket();
    const { failed } = open(() => socket, { cookies });
    await made();
    socket.emit('unexpected-response', undefined, { statusCode: 403, headers });
    expect(await failed).toMatchObject({ status: 403 });
    expect(set).toEqual(kept);
  });
});

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };

/** A socket that cannot be made. */
class NoSocket {
  constructor() {
    throw new Error('no upgrade here');
  }
}

/** A remote transport, and what it reports. */
function remote(url: string, options: RemoteTransportOptions) {
  const transport = remoteTransport(url, options);
  onTestFinished(() => transport.close());
  const chosen: string[] = [];
  const received: unknown[] = [];
  transport.listen({
    onMessage: (message) => received.push(message),
    onDiagnostic: ({ rule, message }) => chosen.push(`${rule}: ${message}`),
    onActivity() {},
  });
  return { transport, chosen, received };
}

describe('the way to a remote agent', () => {
  test.each(['http', 'https'])('with %s is streamable HTTP if there is no WebSocket', async (scheme) => {
    const { fetch } = new TimedServer();
    const url = `${scheme}://127.0.0.1/acp?token=${secret}`;
    const WebSocket = NoSocket as unknown as WebSocketConstructor;
    const { transport, chosen, received } = remote(url, { fetch, WebSocket });
    await transport.send(initialize);
    await allHappened();
    expect(received).toEqual([answerTo(initialize, { protocolVersion: 1 })]);
    expect(chosen).toEqual([
      expect.stringMatching(
        `^transport.chosen: The agent at ${scheme}://127.0.0.1/acp.* is reached over streamable HTTP: a WebSocket could not be opened. The WebSocket .* could not be made: no upgrade here.$`,
      ),
    ]);
    expect(chosen.join()).not.toContain(secret);
  });

  test.each(['ws', 'wss'])('with %s is a WebSocket or nothing', async (scheme) => {
    const { fetch } = new TimedServer();
    const WebSocket = NoSocket as unknown as WebSocketConstructor;
    const { transport, chosen } = remote(`${scheme}://127.0.0.1/acp`, { fetch, WebSocket });
    expect((await transport.ended).error?.message).toContain('could not be made: no upgrade here');
    expect(chosen).toEqual([]);
  });

  /** A server over a WebSocket that answers `initialize` with these capabilities. */
  async function serve(agentCapabilities: object) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    await once(server, 'listening');
    const pinged = new Promise<void>((resolve) => {
      server.on('connection', (client) => {
        client.on('ping', () => resolve());
        client.on('message', (data) => {
          const message = JSON.parse(String(data));
          client.send(JSON.stringify(answerTo(message, { protocolVersion: 1, agentCapabilities })));
        });
      });
    });
    return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, pinged };
  }

  test.each(['http', 'ws'])('with %s is a WebSocket if the server opens one', async (scheme) => {
    const { host } = await serve({});
    const { transport, chosen, received } = remote(`${scheme}://${host}/acp`, {});
    await transport.send(initialize);
    while (received.length === 0) await allHappened();
    expect(chosen).toEqual([
      `transport.chosen: The agent at ${scheme}://${host}/acp is reached over a WebSocket.`,
    ]);
  });

  test('asks the server over a WebSocket whether it is there', async () => {
    const { host, pinged } = await serve({});
    const { chosen } = remote(`ws://${host}/acp`, { idleTimeoutMs: 300 });
    await pinged;
    expect(chosen).toHaveLength(1);
  });

  const known = { _meta: { qwen: { connectionId: 'c1' } } };

  test('with http is streamable HTTP after all if the server is known to be wrong over a WebSocket', async () => {
    const { host } = await serve(known);
    const server = new TimedServer();
    const { transport, chosen, received } = remote(`http://${host}/acp`, { fetch: server.fetch });
    await transport.send(initialize);
    while (received.length === 0) await allHappened();
    expect(received).toEqual([answerTo(initialize, { protocolVersion: 1 })]);
    expect(chosen[1]).toContain(
      'is reached over streamable HTTP instead: over a WebSocket, it sends the history',
    );
    await transport.close();
    expect(server.count('DELETE')).toBe(1);
  });

  test('with ws stays a WebSocket, which is the choice of the user', async () => {
    const { host } = await serve(known);
    const { transport, chosen, received } = remote(`ws://${host}/acp`, {});
    await transport.send(initialize);
    while (received.length === 0) await allHappened();
    expect(received).toMatchObject([{ result: { agentCapabilities: known } }]);
    expect(chosen).toHaveLength(1);
  });
});
