import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Connections } from '../../../src/node/loopback/connections.ts';
import { isToken, newToken, pageRefusalOf, readBody, refusalOf } from '../../../src/node/loopback/front.ts';
import { endServer, httpOptions, listen, portOf, writePart } from '../../../src/node/loopback/http-server.ts';
import { eventually } from '../../support/eventually.ts';

const token = newToken();
const port = 4711;
const good: Readonly<Record<string, string>> = {
  host: `127.0.0.1:${port}`,
  authorization: `Bearer ${token}`,
};

interface Parts {
  readonly method?: string;
  readonly url?: string;
  /** Headers beside those of a good request, or in their place. `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request whose headers have come. */
function request({ method = 'GET', url = '/mcp', headers = {} }: Parts): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  message.url = url;
  for (const [name, given] of Object.entries({ ...good, ...headers })) {
    if (given === undefined) continue;
    const values = typeof given === 'string' ? [given] : [...given];
    message.headers[name] = values[0];
    message.headersDistinct[name] = values;
  }
  return message;
}

const refusedTo = {
  'a program': (parts: Parts) =>
    refusalOf(request(parts), {
      port,
      token,
      methodsOf: (url) => (url === '/mcp' ? ['GET', 'POST'] : undefined),
    }),
  'the own page': (parts: Parts) =>
    pageRefusalOf(request(parts), {
      port,
      token,
      methodsOf: (url) => (url === '/mcp' ? ['GET', 'POST'] : url === '/' ? ['GET'] : undefined),
      isPublic: (url) => url === '/',
    }),
};

describe.each(Object.entries(refusedTo))('a request of %s', (_, refusal) => {
  test.each<[string, Parts]>([
    ['of this address', {}],
    ['of localhost', { headers: { host: `localhost:${port}` } }],
    ['with another method that is served', { method: 'POST' }],
    ['with the scheme in other letters', { headers: { authorization: `bEARER ${token}` } }],
  ])('is served: %s', (_, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  test.each<[number, string, Parts]>([
    [400, 'The header host is there more than once.', { headers: { host: [`127.0.0.1:${port}`, 'x'] } }],
    [400, 'The header authorization is', { headers: { authorization: [`Bearer ${token}`, 'x'] } }],
    [400, 'The header origin is', { headers: { origin: ['http://x', 'http://y'] } }],
    [403, 'The header Host names another host.', { headers: { host: `localhost:${port + 1}` } }],
    [403, 'The header Host names another host.', { headers: { host: undefined } }],
    [401, 'The token in the header Authorization is wrong.', { headers: { authorization: undefined } }],
    [401, 'The token', { headers: { authorization: token } }],
    [401, 'The token', { headers: { authorization: `x Bearer ${token}` } }],
    [401, 'The token', { headers: { authorization: `Bearer ${token.slice(1)}` } }],
    [404, 'There is nothing at this path.', { url: '/other' }],
    [405, 'The method is not served.', { method: 'DELETE' }],
  ])('is refused with %i: %s', (status, reason, parts) => {
    expect(refusal(parts)).toEqual({ status, reason: expect.stringContaining(reason) });
  });
});

describe('a request of a browser', () => {
  const own = `http://127.0.0.1:${port}`;

  test.each([{ origin: own }, { 'sec-fetch-site': 'none' }, { origin: '' }])(
    'is refused where only programs may ask: %j',
    (headers) => {
      const refused = { status: 403, reason: 'Pages in a browser are not served.' };
      expect(refusedTo['a program']({ headers })).toEqual(refused);
    },
  );

  test.each([
    {},
    { origin: own },
    { 'sec-fetch-site': 'same-origin', origin: own },
    { 'sec-fetch-site': 'none' },
  ])('is served if the own page or the user sent it: %j', (headers) => {
    expect(refusedTo['the own page']({ headers })).toBeUndefined();
  });

  test.each([
    { origin: 'http://attacker.example' },
    { origin: `http://localhost:${port}` },
    { origin: own, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is refused if another page sent it: %j', (headers) => {
    const refused = { status: 403, reason: 'Other pages are not served.' };
    expect(refusedTo['the own page']({ headers })).toEqual(refused);
  });

  test.each(['sec-fetch-site', 'content-type', 'x-panel-page'])(
    'is refused if a header of pages is there twice: %s',
    (name) => {
      const headers = { [name]: ['none', 'none'] };
      expect(refusedTo['the own page']({ headers })).toMatchObject({ status: 400 });
    },
  );

  test('needs the token but for what is public', () => {
    const headers = { authorization: undefined };
    expect(refusedTo['the own page']({ url: '/', headers })).toBeUndefined();
    expect(refusedTo['the own page']({ headers })).toMatchObject({ status: 401 });
    expect(refusedTo['the own page']({ url: '/', method: 'POST', headers })).toMatchObject({ status: 405 });
  });
});

test('a token is random, and no other text is it', () => {
  expect(newToken()).not.toBe(newToken());
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(isToken(token, token)).toBe(true);
  for (const other of ['', token.slice(1), `${token}a`, token.toLowerCase()]) {
    expect(isToken(other, token)).toBe(false);
  }
});

describe('a body', () => {
  /** A request whose body comes in parts. */
  function body(parts: readonly string[], headers: Readonly<Record<string, string>> = {}): IncomingMessage {
    const source = Readable.from(parts.map((part) => Buffer.from(part)));
    // What `readBody` uses of a request.
    return Object.assign(source, { headers }) as unknown as IncomingMessage;
  }

  test.each<[readonly string[], Readonly<Record<string, string>>]>([
    [['12345', '67890'], {}],
    [['1234567890'], { 'content-length': '10' }],
    [['1234567890'], { 'content-length': 'x' }],
  ])('of the limit is read: %j', async (parts, headers) => {
    expect(await readBody(body(parts, headers), 10)).toEqual({ body: Buffer.from('1234567890') });
  });

  test('without content is read', async () => {
    expect(await readBody(body([]), 10)).toEqual({ body: Buffer.alloc(0) });
  });

  test.each<[readonly string[], Readonly<Record<string, string>>]>([
    [['12345', '678901'], {}],
    [['1'], { 'content-length': '11' }],
  ])('over the limit is refused, and the request can be answered: %j', async (parts, headers) => {
    const given = body(parts, headers);
    expect(await readBody(given, 10)).toEqual({ status: 413, reason: 'The body has more than 10 bytes.' });
    expect(given.destroyed).toBe(false);
  });

  test('that is compressed is refused', async () => {
    expect(await readBody(body(['x'], { 'content-encoding': 'gzip' }), 10)).toMatchObject({ status: 415 });
  });
});

/** A server, and the first request of a client that reads nothing by itself. */
async function requested() {
  const connections = new Connections({ maxAdmitted: 8, maxWaiting: 8, onCrowded: () => {} });
  const server = createServer();
  server.on('connection', (socket: Socket) => connections.add(socket));
  const port = await listen(server);
  onTestFinished(() => endServer(server, connections));
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { connections, server, port, client, response };
}

test.each([
  [
    'a request without a host is served, so that it gets the same answer as one with a wrong host',
    'X: y',
    200,
  ],
  ['a line that ends otherwise than HTTP says is not read', 'X: y\nZ: z', 400],
  ['headers of more than 16 kB are not read', `X: ${'x'.repeat(16_384)}`, 431],
])('%s', async (_, line, status) => {
  const server = createServer(httpOptions, (_request, response) => response.end());
  const port = await listen(server);
  onTestFinished(() => void server.close());
  const client = connect(port, '127.0.0.1');
  client.write(`GET / HTTP/1.1\r\n${line}\r\nConnection: close\r\n\r\n`);
  const [answer] = await once(client, 'data');
  client.destroy();
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

const large = Buffer.alloc(64 * 1024 * 1024);

test('a server listens on loopback only, at a free port or at the given one, which it does not share', async () => {
  const { server, port, connections } = await requested();
  expect(portOf(server)).toBe(port);
  expect(server.address()).toMatchObject({ address: '127.0.0.1', port });
  await expect(listen(createServer(), port)).rejects.toThrow('EADDRINUSE');
  await endServer(server, connections);
  const again = createServer();
  onTestFinished(() => void again.close());
  expect(await listen(again, port)).toBe(port);
});

test('the end of a server ends its connections too', async () => {
  const { server, client, connections } = await requested();
  await endServer(server, connections);
  expect(server.listening).toBe(false);
  client.resume();
  await eventually(() => client.closed).toBe(true);
});

test('a part that is taken at once does not wait, and one that is not waits until it is read', async () => {
  const { client, response } = await requested();
  expect(await writePart(response, 'small', 0)).toBe(true);
  const written = writePart(response, large, 60_000);
  client.resume();
  expect(await written).toBe(true);
  expect(response.listenerCount('drain')).toBe(0);
});

test('a reader that is too slow and one that has gone have different results', async () => {
  const { client, response } = await requested();
  expect(await writePart(response, large, 1)).toBe(false);
  const written = writePart(response, large, 60_000);
  client.destroy();
  expect(await written).toBe(true);
  await eventually(() => response.destroyed).toBe(true);
  expect(await writePart(response, 'more', 0)).toBe(true);
});

function open(count: number, connections: Connections): readonly Socket[] {
  const sockets = Array.from({ length: count }, () => new Socket());
  for (const socket of sockets) connections.add(socket);
  return sockets;
}

/** A server with room for two connections with the token, and for two without it. */
function limited() {
  let crowded = 0;
  const connections = new Connections({ maxAdmitted: 2, maxWaiting: 2, onCrowded: () => crowded++ });
  return { connections, crowded: () => crowded };
}

const destroyed = (sockets: readonly Socket[]) => sockets.map((socket) => socket.destroyed);

test('the oldest connection without the token is closed for one more', () => {
  const { connections, crowded } = limited();
  const sockets = open(2, connections);
  expect(destroyed(sockets)).toEqual([false, false]);
  expect(crowded()).toBe(0);
  expect(destroyed([...sockets, ...open(2, connections)])).toEqual([true, true, false, false]);
  expect(crowded()).toBe(2);
});

test('a connection with the token is not closed for others, and stays', () => {
  const { connections } = limited();
  const [first, second] = open(2, connections) as [Socket, Socket];
  expect([first, second, first].map((socket) => connections.admit(socket))).toEqual([true, true, true]);
  const waiting = open(2, connections);
  expect(waiting.map((socket) => connections.admit(socket))).toEqual([false, false]);
  expect(destroyed([first, second, ...waiting])).toEqual([false, false, false, false]);
});

test('a connection that has ended makes room, with the token and without it', async () => {
  const { connections, crowded } = limited();
  const [first, second] = open(2, connections) as [Socket, Socket];
  connections.admit(first);
  connections.admit(second);
  const [third, fourth] = open(2, connections) as [Socket, Socket];
  expect(connections.admit(third)).toBe(false);
  const closed = [first, fourth].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  first.destroy();
  fourth.destroy();
  await Promise.all(closed);
  expect(connections.admit(third)).toBe(true);
  open(2, connections);
  expect(crowded()).toBe(0);
});

test('one request of a connection at a time is served', () => {
  const { connections } = limited();
  const [socket, other] = open(2, connections) as [Socket, Socket];
  // The connections hear only of its end.
  const response = new EventEmitter() as unknown as ServerResponse;
  expect(connections.begin(socket, response)).toBe(true);
  expect(connections.begin(socket, response)).toBe(false);
  expect(connections.begin(other, response)).toBe(true);
  response.emit('close');
  expect(connections.begin(socket, response)).toBe(true);
});

test('the end of the server ends every connection', () => {
  const { connections } = limited();
  const sockets = open(3, connections);
  connections.admit(sockets[1] as Socket);
  connections.close();
  expect(destroyed(sockets)).toEqual([true, true, true]);
});
