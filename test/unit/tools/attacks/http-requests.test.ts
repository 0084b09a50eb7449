import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settle } from '../../../support/agents.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  echoCall,
  ended,
  exchange,
  expectRefused,
  expectUntouched,
  openSocket,
  portOf,
  request,
  type ToolTarget,
  tokenOf,
  toolTarget,
  waitingTool,
} from '../../../support/tool-target.ts';

const body = JSON.stringify(echoCall());

interface Parts {
  readonly line?: string;
  /** Headers beside those of a good request, or in their place. `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines that are sent beside the headers. */
  readonly more?: readonly string[];
  readonly body?: string;
}

/** A request of the agent, with some parts of it changed. */
function requestText(target: ToolTarget, { line, headers, more = [], body: sent = body }: Parts): string {
  const good: Record<string, string | undefined> = {
    Host: `127.0.0.1:${portOf(target.server)}`,
    Authorization: `Bearer ${target.token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'echo',
    'Content-Length': String(Buffer.byteLength(sent)),
    ...headers,
  };
  const lines = Object.entries(good).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}`,
  );
  return [line ?? 'POST /mcp HTTP/1.1', ...lines, ...more, '', sent].join('\r\n');
}

test('a good request is served, so that the refused ones are refused for what is changed', async () => {
  const target = await toolTarget('http');
  const answer = await exchange(
    portOf(target.server),
    requestText(target, { headers: { Connection: 'close' } }),
  );
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer.toLowerCase()).not.toContain('access-control-');
  expect(target.ran).toEqual([{ from: 'an attacker' }]);
});

/** The changed parts of each attack, and the start of the answer. An empty one: the connection is closed. */
const attacks: Readonly<Record<string, readonly [(target: ToolTarget) => Parts, RegExp]>> = {
  'no token': [() => ({ headers: { Authorization: undefined } }), / 401 /],
  'an empty token': [() => ({ headers: { Authorization: 'Bearer ' } }), / 401 /],
  'a wrong token': [() => ({ headers: { Authorization: `Bearer ${'a'.repeat(43)}` } }), / 401 /],
  'the start of the token': [
    ({ token }) => ({ headers: { Authorization: `Bearer ${token.slice(0, -1)}` } }),
    / 401 /,
  ],
  'the token with more behind it': [
    ({ token }) => ({ headers: { Authorization: `Bearer ${token}a` } }),
    / 401 /,
  ],
  'the token in another scheme': [({ token }) => ({ headers: { Authorization: `Basic ${token}` } }), / 401 /],
  'the token in the query': [
    ({ token }) => ({
      line: `POST /mcp?access_token=${token} HTTP/1.1`,
      headers: { Authorization: undefined },
    }),
    / 401 /,
  ],
  'the token in the path': [
    ({ token }) => ({ line: `POST /${token}/mcp HTTP/1.1`, headers: { Authorization: undefined } }),
    / 401 /,
  ],
  'the token in a cookie': [
    ({ token }) => ({ headers: { Authorization: undefined, Cookie: `token=${token}` } }),
    / 401 /,
  ],
  'the token in two headers': [({ token }) => ({ more: [`Authorization: Bearer ${token}`] }), / 400 /],
  'a wrong token before the right one': [
    ({ token }) => ({
      headers: { Authorization: 'Bearer wrong' },
      more: [`Authorization: Bearer ${token}`],
    }),
    / 400 /,
  ],
  "another host's name": [() => ({ headers: { Host: 'attacker.example' } }), / 403 /],
  "another host's name with the port": [
    ({ server }) => ({ headers: { Host: `attacker.example:${portOf(server)}` } }),
    / 403 /,
  ],
  'a name that begins as the right one': [
    ({ server }) => ({ headers: { Host: `127.0.0.1:${portOf(server)}.attacker.example` } }),
    / 403 /,
  ],
  'another port in Host': [() => ({ headers: { Host: '127.0.0.1:1' } }), / 403 /],
  'no port in Host': [() => ({ headers: { Host: '127.0.0.1' } }), / 403 /],
  'no Host': [() => ({ headers: { Host: undefined } }), / 403 /],
  'an empty Host': [() => ({ headers: { Host: '' } }), / 403 /],
  'HTTP/1.0 without Host': [() => ({ line: 'POST /mcp HTTP/1.0', headers: { Host: undefined } }), / 403 /],
  'two Hosts': [() => ({ more: ['Host: attacker.example'] }), / 400 /],
  'the Origin of a page': [() => ({ headers: { Origin: 'https://attacker.example' } }), / 403 /],
  'the Origin null': [() => ({ headers: { Origin: 'null' } }), / 403 /],
  'the Origin of a page on this machine': [() => ({ headers: { Origin: 'http://localhost:3000' } }), / 403 /],
  'the Origin of the server itself': [
    ({ server }) => ({ headers: { Origin: `http://127.0.0.1:${portOf(server)}` } }),
    / 403 /,
  ],
  'an empty Origin': [() => ({ headers: { Origin: '' } }), / 403 /],
  'Sec-Fetch-Site: cross-site': [() => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } }), / 403 /],
  'Sec-Fetch-Site: none': [() => ({ headers: { 'Sec-Fetch-Site': 'none' } }), / 403 /],
  'OPTIONS of a page': [
    () => ({
      line: 'OPTIONS /mcp HTTP/1.1',
      headers: { Origin: 'https://attacker.example', 'Access-Control-Request-Method': 'POST' },
    }),
    / 403 /,
  ],
  OPTIONS: [() => ({ line: 'OPTIONS /mcp HTTP/1.1' }), / 405 /],
  PUT: [() => ({ line: 'PUT /mcp HTTP/1.1' }), / 405 /],
  HEAD: [() => ({ line: 'HEAD /mcp HTTP/1.1' }), / 405 /],
  TRACE: [() => ({ line: 'TRACE /mcp HTTP/1.1' }), / 405 /],
  'an unknown method': [() => ({ line: 'EXEC /mcp HTTP/1.1' }), / 400 /],
  'another path': [() => ({ line: 'POST /other HTTP/1.1' }), / 404 /],
  'a path with ..': [() => ({ line: 'POST /x/../mcp HTTP/1.1' }), / 404 /],
  'a path with an encoded letter': [() => ({ line: 'POST /%6dcp HTTP/1.1' }), / 404 /],
  'a path with two slashes': [() => ({ line: 'POST //mcp HTTP/1.1' }), / 404 /],
  'a path with a query': [() => ({ line: 'POST /mcp?x HTTP/1.1' }), / 404 /],
  'a whole URL as the target': [
    ({ server }) => ({ line: `POST ${String(server['url'])} HTTP/1.1` }),
    / 404 /,
  ],
  'the URL of another host as the target': [
    () => ({ line: 'POST http://attacker.example/mcp HTTP/1.1' }),
    / 404 /,
  ],
  CONNECT: [() => ({ line: 'CONNECT 127.0.0.1:22 HTTP/1.1' }), /^$/],
  'an upgrade to a WebSocket by a page': [
    () => ({
      line: 'GET /mcp HTTP/1.1',
      headers: {
        Origin: 'https://attacker.example',
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'Sec-WebSocket-Version': '13',
        'Content-Length': undefined,
      },
      body: '',
    }),
    / 403 /,
  ],
  'two lengths, one of them in chunks': [
    () => ({ headers: { 'Transfer-Encoding': 'chunked' }, body: `0\r\n\r\n${body}` }),
    / 400 /,
  ],
  'two different lengths': [() => ({ more: ['Content-Length: 3'] }), / 400 /],
  'a length that is not a number': [() => ({ headers: { 'Content-Length': '+1' } }), / 400 /],
  'a header that goes on in the next line': [() => ({ more: [' folded'] }), / 400 /],
  'a header with a line feed alone': [() => ({ more: ['X: a\nY: b'] }), / 400 /],
  'no HTTP at all': [() => ({ line: 'hello' }), / 400 /],
  'headers of 20,000 bytes': [() => ({ headers: { 'X-Large': 'a'.repeat(20_000) } }), / 431 /],
  'a target of 20,000 bytes': [() => ({ line: `POST /${'a'.repeat(20_000)} HTTP/1.1` }), / 431 /],
  'a body over the limit, by its length': [
    () => ({ headers: { 'Content-Length': String(4 * 1024 * 1024 + 1) } }),
    / 413 /,
  ],
  'a body over the limit, in chunks': [
    () => ({
      headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
      body: `${(5 * 1024 * 1024).toString(16)}\r\n${'a'.repeat(5 * 1024 * 1024)}`,
    }),
    // The rest of the body may arrive when the connection is closed, which takes the answer with it.
    / 413 |^$/,
  ],
  'a compressed body': [
    () => ({
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(body).toString('latin1'),
    }),
    / 415 /,
  ],
  'a body that is not JSON': [() => ({ body: 'hello' }), / 400 /],
  'an empty body': [() => ({ body: '' }), / 400 /],
  'a body that is a text': [() => ({ body: '"hello"' }), / 400 /],
  'a body with a million levels': [() => ({ body: '['.repeat(1e6) + ']'.repeat(1e6) }), / 400 /],
  'arguments with 600,000 levels': [
    () => ({ body: JSON.stringify(echoCall(1, 'X')).replace('"X"', nested(600_000)) }),
    / 400 /,
  ],
};

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

describe.each(Object.entries(attacks))(
  '[security: tools-http] a request over HTTP with %s',
  (_, [change, expected]) => {
    test('is refused', async () => {
      const target = await toolTarget('http');
      const answer = await exchange(portOf(target.server), requestText(target, change(target)));
      expect(answer.split('\r\n')[0]).toMatch(expected);
      expect(answer.toLowerCase()).not.toContain('access-control-');
      expect(answer).not.toContain(target.token);
      await expectRefused(target);
    });
  },
);

test.each([
  ['', 'is not a JSON message'],
  ['"hello"', 'is not a JSON message'],
  ['['.repeat(1000) + ']'.repeat(1000), 'is nested deeper than'],
])('a body (%#) is refused with an error of JSON-RPC that says why', async (sent, defect) => {
  const target = await toolTarget('http');
  const answer = await exchange(portOf(target.server), requestText(target, { body: sent }));
  const [head = '', content = ''] = answer.split('\r\n\r\n');
  expect(head).toContain('connection: close');
  expect(JSON.parse(content.slice(content.indexOf('{'), content.lastIndexOf('}') + 1))).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message: expect.stringContaining(`The body ${defect}`) },
  });
});

test('a connection that cannot be read is closed, also where the program would go on to write', async () => {
  const target = await toolTarget('http');
  const socket = connect({ port: portOf(target.server), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {});
  const closed = ended(socket);
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  const writing = setInterval(() => socket.write('a'), 1);
  onTestFinished(() => clearInterval(writing));
  expect(await closed).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  await expectRefused(target);
});

test('a request before the answer to the one before it ends the connection', async () => {
  const { wait } = waitingTool();
  const target = await toolTarget('http', { wait });
  const first = JSON.stringify(request('tools/call', 1, { name: 'wait' }));
  const both = [
    requestText(target, { body: first, headers: { 'Mcp-Name': 'wait' } }),
    requestText(target, {}),
  ];
  expect(await exchange(portOf(target.server), both.join(''))).toBe('');
  await eventually(() => target.diagnostics.map(({ message }) => message).join()).toContain(
    'A request came before the answer to the one before it on the same connection.',
  );
  await expectUntouched(target);
});

test('a connection that was cut off in a request is not reported', async () => {
  const target = await toolTarget('http');
  const socket = await openSocket({ port: portOf(target.server) });
  socket.write('POST /mcp HTTP/1.1\r\n');
  await settle();
  socket.resetAndDestroy();
  await settle();
  await expectUntouched(target);
  expect(target.diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
});

test('[reliability: limit-tool-messages] a body over HTTP of the limit is read, and a longer one is refused', async () => {
  const target = await toolTarget('http');
  const large = JSON.stringify(echoCall(1, { text: '' }));
  const filled = large.replace('"text":""', `"text":"${'a'.repeat(4 * 1024 * 1024 - large.length)}"`);
  const headers = { Connection: 'close' };
  const answer = await exchange(portOf(target.server), requestText(target, { body: filled, headers }));
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(target.ran.splice(0)).toHaveLength(1);
  const larger = await exchange(portOf(target.server), requestText(target, { body: `${filled} `, headers }));
  expect(larger).toMatch(/^HTTP\/1.1 413 /);
  await expectRefused(target);
});

test('[reliability: limit-tool-connections] an agent has 96 connections, and one more is refused until one ends', async () => {
  const target = await toolTarget('http');
  const port = portOf(target.server);
  // The server has seen the token, and waits for the body.
  const begun = requestText(target, {
    headers: { Expect: '100-continue', 'Content-Length': '100' },
    body: '',
  });
  let answers = '';
  const sockets: Socket[] = [];
  for (let count = 0; count < 96; count++) {
    const socket = await openSocket({ port });
    socket.on('data', (text) => {
      answers += String(text);
    });
    socket.write(begun);
    sockets.push(socket);
  }
  await eventually(() => answers).toBe('HTTP/1.1 100 Continue\r\n\r\n'.repeat(96));
  const oneMore = async () => {
    const answer = await exchange(port, requestText(target, { headers: { Connection: 'close' } }));
    return answer.split(' ')[1];
  };
  expect(await oneMore()).toBe('429');
  expect(target.ran).toEqual([]);
  expect(target.diagnostics.map(({ rule }) => rule)).toContain('tools.refused');
  sockets[0]?.destroy();
  await eventually(oneMore).toBe('200');
});

test('a request of a session of MCP that is not there gets an answer with which a client begins again', async () => {
  const target = await toolTarget('http');
  const headers = {
    'Mcp-Protocol-Version': '2025-11-25',
    'Mcp-Session-Id': 'none',
    'Mcp-Method': undefined,
    'Mcp-Name': undefined,
    Connection: 'close',
  };
  const sent = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const answer = await exchange(portOf(target.server), requestText(target, { headers, body: sent }));
  expect(answer).toMatch(/^HTTP\/1.1 404 /);
  expect(answer).toContain('"code":-32001,"message":"There is no such session. Initialize again."');
});

test('[reliability: limit-tool-connections] of the connections without the token, the oldest is closed for one more than 128', async () => {
  const target = await toolTarget('http');
  // What cannot be read is answered and closed: it takes no place, although the program keeps its side open.
  const noise = connect({ port: portOf(target.server), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void noise.destroy());
  noise.resume().write('hello\r\n\r\n');
  await once(noise, 'end');
  const sockets: Socket[] = [];
  for (let count = 0; count < 129; count++) sockets.push(await openSocket({ port: portOf(target.server) }));
  await eventually(() => sockets.map(({ destroyed }) => destroyed)).toEqual(sockets.map((_, at) => at === 0));
  expect(target.diagnostics.filter(({ rule }) => rule === 'tools.refused')).toMatchObject([
    { message: expect.stringContaining('It is not readable') },
    { message: expect.stringContaining('More than 128 connections sent no token.') },
  ]);
});

test('a batch over HTTP runs at most the calls that it may have, and a large one is refused', async () => {
  const target = await toolTarget('http');
  const batch = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => echoCall(index)));
  const headers = { Connection: 'close' };
  const answer = await exchange(portOf(target.server), requestText(target, { body: batch, headers }));
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(target.ran).toEqual([]);
});

test('[security: tools-http] the token of another session is refused, and so is that of another server of the session', async () => {
  const target = await toolTarget('http');
  const other = await toolTarget('http');
  for (const token of [tokenOf(other.server), other.token.toLowerCase()]) {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await exchange(portOf(target.server), requestText(target, { headers }));
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  }
  await expectRefused(target);
  expect(other.ran).toEqual([]);
});
