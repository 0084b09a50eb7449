import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { remoteTransport } from '../../../../src/agents/remote.ts';
import { ConnectionClosedError, HttpError, TimeoutError } from '../../../../src/core/base/errors.ts';
import { memoryCookies } from '../../../../src/core/transport/http/cookies.ts';
import { HttpClient } from '../../../../src/core/transport/http/http-client.ts';
import { openWebSocket, webSocketFor } from '../../../../src/core/transport/http/open-web-socket.ts';
import type {
  RemoteTransportOptions,
  WebSocketConstructor,
} from '../../../../src/core/transport/remote-options.ts';
import type { WebSocketLike } from '../../../../src/core/transport/websocket.ts';
import { listen } from '../../../../src/node/loopback/http-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { listened } from '../../../support/listened.ts';
import { answerTo } from '../../../support/raw-acp-server.ts';
import { allHappened, TimedServer } from '../../../support/timed-acp-server.ts';
import { socketServer } from '../../../support/web-socket-server.ts';

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

/** Starts a server, which ends with the test, and resolves to its URL. */
async function urlOf(server: Server): Promise<string> {
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listen(server)}/acp`;
}

/** A server that refuses an upgrade with a status, unless it has the token. It sets cookies with each answer. */
async function refusing(status: number, token?: string) {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  sockets.on('headers', (headers) => headers.push('set-cookie: a=1', 'set-cookie: b=2'));
  const sent: (readonly [authorization: string | undefined, cookie: string | undefined])[] = [];
  http.on('upgrade', (request, socket, head) => {
    const { authorization, cookie } = request.headers;
    sent.push([authorization, cookie]);
    if (authorization === token) return sockets.handleUpgrade(request, socket, head, (one) => one.close());
    return socket.end(
      `HTTP/1.1 ${status} No\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 0\r\n\r\n`,
    );
  });
  return { url: await urlOf(http), sent };
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
  test('[reliability: limit-remote-message] of the caller gets the headers and the limit of a message', async () => {
    const given: unknown[] = [];
    class Given {
      constructor(...parameters: readonly unknown[]) {
        given.push(...parameters);
      }
    }
    for (const maxMessageBytes of [5000, undefined]) {
      const options = { WebSocket: Given as unknown as WebSocketConstructor, maxMessageBytes };
      const make = await webSocketFor(options);
      expect(make?.('wss://x/acp', { a: '1' })).toBeInstanceOf(Given);
      const maxPayload = maxMessageBytes ?? 128 * 1024 * 1024;
      const taken = ['wss://x/acp', [], { headers: { a: '1' }, maxPayload }];
      expect(given.splice(0)).toEqual(taken);
      const socket = {} as WebSocketLike;
      const factory = (...parameters: readonly unknown[]) => {
        given.push(...parameters);
        return socket;
      };
      const made = await webSocketFor({ WebSocket: factory, maxMessageBytes });
      expect(made?.('wss://x/acp', { a: '1' })).toBe(socket);
      expect(given.splice(0)).toEqual(taken);
    }
  });

  test('that is open already is used at once', async () => {
    const socket = Object.assign(new PlainSocket(), { readyState: 1 });
    expect(await open(() => socket).opening).toBe(socket);
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
    const url = await urlOf(server);
    server.close();
    await once(server, 'close');
    let calls = 0;
    const headers = () => ({ a: `${++calls}` });
    const failed = await openReal(url, { headers }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: expect.stringMatching(/could not be opened: connect ECONNREFUSED/),
      cause: { code: 'ECONNREFUSED' },
    });
    expect(calls).toBe(1);
  });

  test('that a server keeps waiting is given up after the time limit, and leaves no connection', async () => {
    const server = createTcpServer();
    const accepted = once(server, 'connection');
    const failed = openReal(await urlOf(server), { openTimeoutMs: 50 }).catch((error: unknown) => error);
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
  test('with 401 is tried again with new headers and its cookies, and not a third time', async () => {
    const tokens = () => {
      let count = 0;
      return () => ({ authorization: `token-${++count}` });
    };
    const asked = [
      ['token-1', undefined],
      ['token-2', 'a=1; b=2'],
    ];
    const { url, sent } = await refusing(401, 'token-2');
    await openReal(url, { headers: tokens() });
    expect(sent).toEqual(asked);
    const strict = await refusing(401, 'another');
    await expect(openReal(strict.url, { headers: tokens() })).rejects.toMatchObject({
      cause: { status: 401 },
    });
    expect(strict.sent).toEqual(asked);
  });

  test('with another status asks for no new headers, and its error has the status and the cookies are kept', async () => {
    let calls = 0;
    const cookies = memoryCookies();
    const { url } = await refusing(403, 'another');
    const error = await openReal(url, { headers: () => ({ a: `${++calls}` }), cookies }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ message: expect.stringContaining('answered with status 403 instead') });
    const { cause } = error as Error;
    expect(cause).toBeInstanceOf(HttpError);
    expect(cause).toMatchObject({ status: 403, body: '' });
    expect([calls, cookies.getCookieString(url)]).toEqual([1, 'a=1; b=2']);
  });

  test('and one that it accepts set cookies, which the next one has', async () => {
    const { url, sent } = await refusing(401);
    const cookies = memoryCookies();
    await openReal(url, { cookies });
    // The socket is open before the store has the cookies.
    await eventually(() => cookies.getCookieString(url)).toBe('a=1; b=2');
    await openReal(url, { cookies });
    expect(sent.map(([, cookie]) => cookie)).toEqual([undefined, 'a=1; b=2']);
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
    expect(await failed).toMatchObject({ cause: { status: 403 } });
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
  const { received } = listened(transport, {
    onDiagnostic: ({ rule, message }) => chosen.push(`${rule}: ${message}`),
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

  test.each(['http', 'ws'])('with %s is a WebSocket if the server opens one', async (scheme) => {
    const { port, accepted } = await socketServer((message, socket) =>
      socket.send(JSON.stringify(answerTo({ ...message }, { protocolVersion: 1, agentCapabilities: {} }))),
    );
    const url = `${scheme}://127.0.0.1:${port}/acp`;
    const { transport, chosen, received } = remote(url, { idleTimeoutMs: 300 });
    await transport.send(initialize);
    await eventually(() => received.length).toBe(1);
    expect(chosen).toEqual([`transport.chosen: The agent at ${url} is reached over a WebSocket.`]);
    // The server is asked whether it is there.
    await once(await accepted, 'ping');
  });
});
