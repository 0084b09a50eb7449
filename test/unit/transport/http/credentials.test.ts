import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../../src/agents/connect.ts';
import { remoteTransport } from '../../../../src/agents/remote.ts';
import { memoryCookies } from '../../../../src/core/transport/http/cookies.ts';
import { checkRedirect } from '../../../../src/core/transport/http/http-client.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { connectHttp, openHttpSession, streamableHttp } from '../../../support/raw-acp-connection.ts';
import { initializeResult, rawServer } from '../../../support/raw-acp-server.ts';

const headers = { authorization: 'Bearer secret-0123456789' };

describe('[security: remote-plain-http] headers are refused for plain HTTP', () => {
  // Node asks the resolver for `agent.localhost`, which can find it on another machine.
  test.each(['http://agents.example.com/acp', 'ws://agents.example.com/acp', 'http://agent.localhost/acp'])(
    'to %s',
    (url) => {
      expect(() => remoteTransport(url, { headers })).toThrow('without TLS, where others can read them');
      expect(() => remoteTransport(url, { headers: () => headers })).toThrow('without TLS');
    },
  );

  test.each(['http://127.0.0.1:1/acp', 'http://[::1]:1/acp', 'https://192.0.2.1/acp'])(
    'and not to %s',
    async (url) => {
      await streamableHttp(url, { headers }).close();
    },
  );

  test('unless the caller allows it', async () => {
    await streamableHttp('http://192.0.2.1/acp', { headers, allowPlainHttp: true }).close();
  });
});

test.each([
  ['streamable HTTP', streamableHttp],
  ['remoteTransport', remoteTransport],
])(
  '[security: remote-tls] a certificate that is not trusted ends the connection of %s',
  async (_name, open) => {
    const { key, cert } = makeCertificate();
    const server = await rawServer({
      tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') },
    });
    const opening = connect(open(server.url, { headers }), {
      clientInfo: { name: 'test', version: '0.0.0' },
      onDiagnostic: () => {},
    });
    await expect(opening).rejects.toMatchObject({
      code: 'connection.closed',
      message: expect.stringMatching(/self-signed certificate/),
    });
    expect(server.requests).toEqual([]);
  },
);

describe('[security: remote-redirects] a redirect', () => {
  test('to another origin is followed without the headers and the cookies', async () => {
    const other = await rawServer();
    const server = await rawServer({
      answer: ({ kind }, response) => {
        if (kind !== 'POST initialize') return false;
        return response.writeHead(307, { location: other.url, 'set-cookie': 'sid=secret-cookie' }).end();
      },
    });
    const { session } = await openHttpSession(server.url, { headers });
    await session.prompt('Hello');
    expect(server.requests.map(({ headers: sent }) => sent.authorization)).toEqual([headers.authorization]);
    expect(other.count('POST session/prompt')).toBe(1);
    for (const { headers: sent } of other.requests) {
      expect(sent.authorization).toBeUndefined();
      expect(sent.cookie).toBeUndefined();
    }
  });

  test('to the same origin keeps them', async () => {
    const server = await rawServer({
      answer: ({ path }, response) =>
        path === '/acp' ? response.writeHead(308, { location: '/v2/acp' }).end() : false,
    });
    await openHttpSession(server.url, { headers });
    const late = server.requests.filter(({ path }) => path === '/v2/acp');
    expect(late.length).toBeGreaterThan(2);
    for (const { headers: sent } of late) expect(sent.authorization).toBe(headers.authorization);
  });

  test('from TLS to plain HTTP is not followed, and neither is one that loses the message or leads on and on', () => {
    const [from, to] = [new URL('https://a.example/acp'), new URL('http://a.example/acp')];
    const show = ({ href }: URL) => href;
    const check = (status: number, count: number, target: URL) =>
      checkRedirect('initialize', { status, count, from, to: target }, show);
    expect(() => check(307, 0, to)).toThrow('has no TLS');
    expect(() => check(307, 0, new URL('ftp://a.example/'))).toThrow('is not HTTP');
    for (const status of [301, 302, 303]) expect(() => check(status, 0, from)).toThrow('loses the message');
    expect(() => check(307, 5, from)).toThrow('after 5 other redirects');
    expect(() => check(307, 4, from)).not.toThrow();
  });
});

describe('[security: remote-cookies] a cookie', () => {
  test('is sent back with each later request, and with those of the next transport that has the same store', async () => {
    const server = await rawServer({
      answer: ({ kind, headers: sent }, response) => {
        if (kind !== 'POST initialize' || sent.cookie !== undefined) return false;
        response.writeHead(200, {
          'content-type': 'application/json',
          'acp-connection-id': 'c1',
          'set-cookie': ['server=one; Path=/; HttpOnly', 'other=2'],
        });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result: initializeResult }));
      },
    });
    const cookies = memoryCookies();
    const { connection } = await openHttpSession(server.url, { cookies });
    await connection.close();
    const own = 'server=one; other=2';
    const [first, ...others] = server.requests.map(({ headers: each }) => each.cookie);
    expect(first).toBeUndefined();
    expect(others.length).toBeGreaterThan(1);
    expect(new Set(others)).toEqual(new Set([own]));
    await connectHttp(server.url, { cookies });
    await connectHttp(server.url);
    // Without the store, the last connection begins without cookies.
    const starts = server.requests.filter(({ kind }) => kind === 'POST initialize');
    expect(starts.map(({ headers: each }) => each.cookie)).toEqual([undefined, own, undefined]);
  });
});
