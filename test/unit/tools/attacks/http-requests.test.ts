import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { settle } from '../../../support/agents.ts';
import { eventually } from '../../../support/eventually.ts';
import { waitingTool } from '../../../support/open-tools.ts';
import { portOf } from '../../../support/tool-client.ts';
import {
  echoCall,
  ended,
  exchange,
  expectRefused,
  expectUntouched,
  type HttpParts,
  httpText,
  openSocket,
  request,
  sessionHeaders,
  type ToolTarget,
  toolTarget,
} from '../../../support/tool-target.ts';

const call = echoCall();

/** A request of the agent, with some parts of it changed. */
const requestText = ({ server }: ToolTarget, parts: HttpParts) => httpText(server, call, parts);

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

type Attack = readonly [what: string, change: HttpParts | ((target: ToolTarget) => HttpParts)];

const withHeaders = (headers: NonNullable<HttpParts['headers']>): HttpParts => ({ headers });
const noToken = { Authorization: undefined };
const overLimit = 5 * 1024 * 1024;

/** The start of each answer, and the changed parts of the requests that get it. An empty one: the connection is closed. */
const attacks: readonly (readonly [answer: RegExp, requests: readonly Attack[]])[] = [
  [
    / 401 /,
    [
      ['no token', withHeaders(noToken)],
      ['a wrong token', withHeaders({ Authorization: `Bearer ${'a'.repeat(43)}` })],
      ['more than the token', ({ token }) => withHeaders({ Authorization: `Bearer ${token}a` })],
      [
        'the token in the query',
        ({ token }) => ({ line: `POST /mcp?access_token=${token} HTTP/1.1`, headers: noToken }),
      ],
      ['the token in a cookie', ({ token }) => withHeaders({ ...noToken, Cookie: `token=${token}` })],
    ],
  ],
  [
    / 403 /,
    [
      ["another host's name", withHeaders({ Host: 'attacker.example' })],
      [
        "another host's name with the port",
        ({ server }) => withHeaders({ Host: `a.example:${portOf(server)}` }),
      ],
      ['another port in Host', withHeaders({ Host: '127.0.0.1:1' })],
      ['HTTP/1.0 without Host', { line: 'POST /mcp HTTP/1.0', headers: { Host: undefined } }],
      ['the Origin of a page', withHeaders({ Origin: 'https://attacker.example' })],
      [
        'the Origin of the server itself',
        ({ server }) => withHeaders({ Origin: `http://127.0.0.1:${portOf(server)}` }),
      ],
      ['Sec-Fetch-Site: cross-site', withHeaders({ 'Sec-Fetch-Site': 'cross-site' })],
      [
        'OPTIONS of a page',
        {
          line: 'OPTIONS /mcp HTTP/1.1',
          headers: { Origin: 'https://attacker.example', 'Access-Control-Request-Method': 'POST' },
        },
      ],
      [
        'an upgrade to a WebSocket by a page',
        {
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
        },
      ],
    ],
  ],
  [
    / 405 /,
    ['OPTIONS', 'PUT', 'HEAD', 'TRACE'].map((method) => [method, { line: `${method} /mcp HTTP/1.1` }]),
  ],
  [
    / 404 /,
    ['/other', '/x/../mcp', '/%6dcp', '//mcp', '/mcp?x', 'http://attacker.example/mcp'].map((path) => [
      path,
      { line: `POST ${path} HTTP/1.1` },
    ]),
  ],
  [
    / 400 /,
    [
      ['the token in two headers', ({ token }) => ({ more: [`Authorization: Bearer ${token}`] })],
      ['two Hosts', { more: ['Host: attacker.example'] }],
      ['an unknown method', { line: 'EXEC /mcp HTTP/1.1' }],
      [
        'two lengths, one of them in chunks',
        { headers: { 'Transfer-Encoding': 'chunked' }, body: `0\r\n\r\n${JSON.stringify(call)}` },
      ],
      ['two different lengths', { more: ['Content-Length: 3'] }],
      ['a length that is not a number', withHeaders({ 'Content-Length': '+1' })],
      ['a header that goes on in the next line', { more: [' folded'] }],
      ['a header with a line feed alone', { more: ['X: a\nY: b'] }],
      ['no HTTP at all', { line: 'hello' }],
    ],
  ],
  [/^$/, [['CONNECT', { line: 'CONNECT 127.0.0.1:22 HTTP/1.1' }]]],
  [
    / 431 /,
    [
      ['headers of 20,000 bytes', withHeaders({ 'X-Large': 'a'.repeat(20_000) })],
      ['a target of 20,000 bytes', { line: `POST /${'a'.repeat(20_000)} HTTP/1.1` }],
    ],
  ],
  [
    // The rest of the body may arrive when the connection is closed, which takes the answer with it.
    / 413 |^$/,
    [
      [
        'a body over the limit, in chunks',
        {
          headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
          body: `${overLimit.toString(16)}\r\n${'a'.repeat(overLimit)}`,
        },
      ],
    ],
  ],
  [/ 415 /, [['a compressed body', withHeaders({ 'Content-Encoding': 'gzip' })]]],
];

test.each(attacks)(
  '[security: tools-http] what is answered with %s is refused',
  async (expected, requests) => {
    const target = await toolTarget('http');
    for (const [what, change] of requests) {
      target.diagnostics.splice(0);
      const sent = requestText(target, typeof change === 'function' ? change(target) : change);
      const answer = await exchange(portOf(target.server), sent);
      expect(answer.split('\r\n')[0], what).toMatch(expected);
      expect(answer.toLowerCase()).not.toContain('access-control-');
      expect(answer).not.toContain(target.token);
      await expectRefused(target);
    }
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

test('a request before the answer to the one before it ends the connection and its call', async () => {
  const { tool: wait, signals } = waitingTool();
  const target = await toolTarget('http', { wait });
  const first = httpText(target.server, request('tools/call', 1, { name: 'wait' }));
  expect(await exchange(portOf(target.server), first + requestText(target, {}).repeat(100))).toBe('');
  await eventually(() => target.diagnostics.map(({ message }) => message).join()).toContain(
    'A request came before the answer to the one before it on the same connection.',
  );
  await eventually(() => signals.every(({ aborted }) => aborted)).toBe(true);
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

test('[security: tools-floods] [reliability: limit-tool-connections] an agent has 96 connections, and one more is refused until one ends', async () => {
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

test.each(['none', '__proto__'])(
  'a request of the session %s of MCP, which is not there, gets an answer with which a client begins again',
  async (session) => {
    const { server } = await toolTarget('http');
    const answer = await fetch(String(server['url']), {
      method: 'POST',
      headers: sessionHeaders(server, session),
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain(
      '"code":-32001,"message":"There is no such session. Initialize again."',
    );
  },
);

test('[security: tools-floods] [reliability: limit-tool-connections] of the connections without the token, the oldest is closed for one more than 128', async () => {
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

test('a batch over HTTP is refused', async () => {
  const target = await toolTarget('http');
  const parts = { body: JSON.stringify([call, call]), headers: { Connection: 'close' } };
  expect(await exchange(portOf(target.server), requestText(target, parts))).toMatch(/^HTTP\/1.1 400 /);
  await expectUntouched(target);
});
