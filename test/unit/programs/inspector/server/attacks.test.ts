import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../../../../src/core/conversation/select.ts';
import type { MessageEntry } from '../../../../../src/core/model/conversation.ts';
import { maxRequestBytes } from '../../../../../src/programs/inspector/server/serve.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  cwd,
  dial,
  type OpenedInspector as Opened,
  openInspector as open,
  openPanelPage,
  type RawRequest,
  raw,
  request,
  secret,
  send,
  statusOf,
} from '../../../../support/inspector-target.ts';

async function call(
  opened: Opened,
  body: unknown,
): Promise<{ result?: unknown; error?: { message: string } }> {
  const answer = await send(opened, {
    method: 'POST',
    path: '/call',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(statusOf(answer)).toBe(200);
  return JSON.parse(/\{.*\}/s.exec(answer.slice(answer.indexOf('\r\n\r\n')))?.[0] ?? '');
}

test('the page itself and the own requests are served', async () => {
  const opened = await open();
  expect(statusOf(await send(opened, { path: '/', headers: ['Authorization: none'] }))).toBe(200);
  const answer = await send(opened, {
    headers: [`Origin: http://${opened.host}`, 'Sec-Fetch-Site: same-origin'],
  });
  expect(statusOf(answer)).toBe(200);
  expect(answer).toContain('"methods":{"v1":[');
});

describe('[security: inspector] a request is refused', () => {
  const cases: readonly (readonly [string, number, (opened: Opened) => RawRequest])[] = [
    ['without a token', 401, () => ({ headers: ['Authorization:'] })],
    ['with a wrong token', 401, () => ({ headers: ['Authorization: Bearer wrong'] })],
    [
      'with the token in the query',
      401,
      ({ token }) => ({ path: `/about?token=${token}`, headers: ['Authorization:'] }),
    ],
    [
      'with the token in a cookie',
      401,
      ({ token }) => ({ headers: ['Authorization:', `Cookie: token=${token}`] }),
    ],
    ['of another host', 403, () => ({ headers: ['Host: attacker.example'] })],
    [
      'of another host, for the page too',
      403,
      ({ port }) => ({ path: '/', headers: [`Host: attacker.example:${port}`] }),
    ],
    ['of another port', 403, () => ({ headers: ['Host: 127.0.0.1:1'] })],
    ['without a host', 403, () => ({ headers: ['Host:'] })],
    ['of another origin', 403, () => ({ headers: ['Origin: http://attacker.example'] })],
    ['of an opaque origin', 403, () => ({ headers: ['Origin: null'] })],
    ['of another port as origin', 403, () => ({ headers: ['Origin: http://127.0.0.1:1'] })],
    ['of another site', 403, () => ({ headers: ['Sec-Fetch-Site: cross-site'] })],
    [
      'of another site, for the page too',
      403,
      () => ({ path: '/', headers: ['Sec-Fetch-Site: cross-site'] }),
    ],
    ['of the same site and another port', 403, () => ({ headers: ['Sec-Fetch-Site: same-site'] })],
    ['with two hosts', 400, ({ host }) => ({ headers: [`Host: ${host}`, 'Host: attacker.example'] })],
    [
      'with two tokens',
      400,
      ({ token }) => ({ headers: [`Authorization: Bearer ${token}`, 'Authorization: x'] }),
    ],
    ['of a path that leads up', 404, () => ({ path: '/../../etc/passwd' })],
    ['of an encoded path', 404, () => ({ path: '/%2e%2e/%2e%2e/etc/passwd' })],
    ['of an absolute address', 404, () => ({ path: 'http://attacker.example/about' })],
    ['of a name that every object has', 404, () => ({ path: '/__proto__' })],
    ['of a timeline that is not there', 404, () => ({ path: '/items?timeline=1&from=0' })],
    ['of a place that is no number', 404, () => ({ path: '/items?from=-1' })],
    ['with another method', 405, () => ({ method: 'PUT', path: '/call' })],
    [
      'for leave of another page',
      405,
      () => ({ method: 'OPTIONS', path: '/call', headers: ['Access-Control-Request-Method: POST'] }),
    ],
    [
      'of a body that a form can send',
      415,
      () => ({ method: 'POST', path: '/call', body: '{}', headers: ['Content-Type: text/plain'] }),
    ],
    [
      'of a body that is too large',
      413,
      () => ({
        method: 'POST',
        path: '/call',
        body: '{}',
        headers: [`Content-Length: ${maxRequestBytes + 1}`],
      }),
    ],
    [
      'of a compressed body',
      415,
      () => ({ method: 'POST', path: '/call', body: '{}', headers: ['Content-Encoding: gzip'] }),
    ],
    ['with large headers', 431, () => ({ headers: [`X-Large: ${'x'.repeat(20_000)}`] })],
    ['with a page id that is none', 400, () => ({ path: '/panel', headers: ['X-Panel-Page: ../x'] })],
  ];

  test.each(cases)('%s', async (_, status, parts) => {
    const opened = await open();
    const calls = opened.agent.received.length;
    const answer = await send(opened, parts(opened));
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toMatch(/^access-control-/im);
    expect(answer).not.toContain(opened.token);
    expect(opened.agent.received).toHaveLength(calls);
  });

  test('that comes before the answer to the one before it', async () => {
    const opened = await open();
    const feed = request(opened, { path: '/items?from=0', headers: ['Connection: keep-alive'] });
    await raw(opened, feed + request(opened, { method: 'POST', path: '/call', body: '{"method":"_any"}' }));
    expect(opened.agent.calls('_any')).toHaveLength(0);
  });

  test('that asks for a WebSocket or a tunnel', async () => {
    const opened = await open();
    const upgrade = { path: '/panel', headers: ['Connection: Upgrade', 'Upgrade: websocket'] };
    expect(await send(opened, upgrade)).toBe('');
    expect(await send(opened, { method: 'CONNECT', path: 'attacker.example:80' })).toBe('');
  });
});

test('[security: inspector] every answer says that no other page may use it', async () => {
  const opened = await open();
  for (const path of ['/', '/about', '/nothing']) {
    const answer = (await send(opened, { path })).toLowerCase();
    expect(answer).toContain("frame-ancestors 'none'");
    expect(answer).toContain('cross-origin-resource-policy: same-origin');
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(answer).toContain('cache-control: no-store');
    expect(answer).toContain('referrer-policy: no-referrer');
  }
});

describe('[security: inspector] by hand, a page cannot', () => {
  // calls.test.ts has the others.
  test.each<readonly [string, unknown, RegExp]>([
    ['send initialize', { method: 'initialize', params: {} }, /sent once/],
    ['send no JSON', '{', /not a call/],
    ['nest without end', `{"method":"_any","params":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`, /nested/],
  ])('%s', async (_, body, reason) => {
    const opened = await open();
    await opened.panel.connection?.newSession({ cwd });
    const calls = opened.agent.received.length;
    expect((await call(opened, body)).error?.message).toMatch(reason);
    expect(opened.agent.received).toHaveLength(calls);
  });

  test('change a prototype', async () => {
    const opened = await open();
    const body =
      '{"method":"_any","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
    expect((await call(opened, body)).result).toEqual({ done: true });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

test('[security: inspector] an action that the panel does not have is refused', async () => {
  const opened = await open();
  const { received, post, call } = await openPanelPage(opened);
  await post(call(1, 'spawn', { command: 'sh' }));
  await eventually(received).toContain('does not have the action \\"spawn\\"');
  expect(await post(call(2, '__proto__', { command: 'sh' }), '{', '[]')).toBe(200);
  await eventually(received).toContain('does not have the action \\"__proto__\\"');
});

test('[security: inspector] what the user and the client keep secret is in no answer', async () => {
  const opened = await open((agent) =>
    agent.on('session/prompt', ({ params }) => {
      agent.update('s1', {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: `You sent ${JSON.stringify(params)} and ${secret}` },
      });
      return { stopReason: 'end_turn' };
    }),
  );
  const session = await opened.panel.connection?.newSession({ cwd });
  await session?.prompt('hello');
  const items = () => opened.timeline.lines.map((line) => JSON.stringify(line)).join('\n');
  await eventually(items).toContain('You sent');
  expect(items()).not.toContain(secret);
  expect(items()).not.toContain(opened.token);
});

test('[security: inspector] a page that does not read its stream does not slow the agent', async () => {
  const opened = await open();
  const session = await opened.panel.connection?.newSession({ cwd });
  dial(opened, request(opened, { path: '/items?from=0' })).socket.pause();
  for (let count = 0; count < 80; count++) {
    opened.agent.update('s1', {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'x'.repeat(100_000) },
    });
  }
  const said = () => (session?.conversation.entries ?? []) as readonly MessageEntry[];
  await eventually(() => said().map(textOf).join('').length).toBe(8_000_000);
  expect(statusOf(await send(opened, {}))).toBe(200);
});

test('[security: inspector] connections without the token do not keep the page out', async () => {
  const opened = await open();
  const sockets = Array.from({ length: 200 }, () => dial(opened, '').socket);
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => {})));
  expect(statusOf(await send(opened, {}))).toBe(200);
  await eventually(() => opened.refused.join()).toContain('connections sent no token');
});
