import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { remoteTransport } from '../../../../src/agents/remote.ts';
import type { Diagnostic } from '../../../../src/core/base/diagnostic.ts';
import type { RemoteTransportOptions } from '../../../../src/core/transport/remote-options.ts';
import { listen } from '../../../../src/node/loopback/http-server.ts';
import { connectHttp, openHttpSession, streamableHttp } from '../../../support/raw-acp-connection.ts';
import { chunk, event, type RawAnswer, type RawRequest, rawServer } from '../../../support/raw-acp-server.ts';

const token = 'tok+en/0123456789=';
const ownCookie = 'own-cookie-0123456789';
const serverCookie = 'server-cookie-0123456789';
const queryValue = 'query value/0123456789';

/** What must not appear anywhere, in any of its forms. */
const forms = [token, ownCookie, serverCookie, queryValue].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  encodeURI(secret),
]);

const headers = { authorization: `Bearer ${token}`, cookie: `sid=${ownCookie}; theme=dark` };

/** The query that makes the URL of a server secret. */
const query = `?key=${encodeURIComponent(queryValue)}`;

/** Everything that a program could show of a value, with what it holds inside. */
const shown = (value: unknown) =>
  inspect(value, { depth: 20, showHidden: true, getters: true, maxArrayLength: null });

function expectNoSecret(...values: readonly unknown[]): void {
  const text = values.map(shown).join('\n');
  expect(forms.filter((form) => text.includes(form))).toEqual([]);
}

/** All that the request has brought: what a hostile server can repeat. */
const echo = ({ headers: received, path }: RawRequest) =>
  `${received.authorization} ${received.cookie} ${path} ${decodeURIComponent(path)}`;

/** The error with which connecting fails, and everything else that could show a secret. */
async function failure(url: string, options: RemoteTransportOptions = {}) {
  const trace: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  const error: unknown = await connectHttp(
    url,
    { headers, ...options },
    { trace: { write: (record) => trace.push(record) }, onDiagnostic: (one) => diagnostics.push(one) },
  ).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expectNoSecret(error, String(error), trace, diagnostics);
  return error as Error & { status?: number; body?: string };
}

const refuse =
  (status: number): RawAnswer =>
  (request, response) =>
    response.writeHead(status, { 'set-cookie': `sid2=${serverCookie}` }).end(`denied: ${echo(request)}`);

/** Redirects to a place that repeats the headers. The request there, after 307 and 308, is refused. */
const redirect =
  (status: number): RawAnswer =>
  ({ path }, response) => {
    const location = `/in/${encodeURIComponent(token)}/${token}?q=${encodeURIComponent(token)}&sid=${ownCookie}#${token}`;
    return path.startsWith('/in/')
      ? response.writeHead(500).end()
      : response.writeHead(status, { location }).end();
  };

test.each<[string, RawAnswer, readonly string[]]>([
  ['a refusal with status 401', refuse(401), ['/acp?key=[redacted]', 'denied: [redacted]']],
  ['a refusal with status 500', refuse(500), ['/acp?key=[redacted]', 'denied: [redacted]']],
  [
    'a page of HTML',
    (request, response) => response.end(`<html><title>No ${echo(request)}</title></html>`),
    ['which probably a proxy wrote (No [redacted]'],
  ],
  ['a redirect with status 302', redirect(302), ['/in/[redacted]/[redacted]?q=[redacted]']],
  ['a redirect with status 307', redirect(307), ['/in/[redacted]/[redacted]?q=[redacted]']],
  [
    'a redirect to a URL with a password',
    ({ path }, response) => {
      const location = `${'http'}://user:${encodeURIComponent(token)}@127.0.0.1:1/x`;
      return response.writeHead(path.startsWith('/acp') ? 307 : 404, { location }).end();
    },
    ['http://127.0.0.1:1/x could not be reached'],
  ],
])('[security: remote-secrets] %s that repeats the headers', async (_, answer, texts) => {
  const { origin } = await rawServer({ answer });
  const { message } = await failure(`${origin}/acp${query}`);
  for (const text of texts) expect(message).toContain(text);
});

test('an answer that is not HTTP, and repeats the headers', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => socket.end(`HTTP/1.1 what ${data}`));
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  const { message } = await failure(`http://127.0.0.1:${port}/acp${query}`);
  expect(message).toContain('/acp?key=[redacted] could not be reached');
});

test('[security: remote-secrets] errors of JSON-RPC, updates and noise that repeat the headers: nothing of them is in errors and traces', async () => {
  let received = '';
  const trace: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  const refusal = () => ({
    error: { code: -32603, message: `bad ${received}`, data: { details: received } },
  });
  const server = await rawServer({
    answer: async (request, response) => {
      received = echo(request);
      if (request.kind !== 'POST session/prompt') return false;
      response.writeHead(202, { 'set-cookie': `sid2=${serverCookie}` }).end();
      const raw = { jsonrpc: '2.0', id: request.message['id'], ...refusal() };
      await server.write(`${received}\n`, 's1');
      await server.write(event(chunk('s1', received)), 's1');
      await server.write(event(raw), 's1');
    },
  });
  const { session } = await openHttpSession(
    `${server.origin}/acp${query}`,
    { headers },
    {
      trace: { write: (record) => trace.push(record), redact: (message) => message },
      onDiagnostic: (one) => diagnostics.push(one),
    },
  );
  const error: unknown = await session.prompt('Hello').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'RemoteError' });
  expect(diagnostics.map(({ rule }) => rule)).toContain('transport.noise');
  expect(shown(trace)).toContain('bad [redacted]');
  expectNoSecret(error, String(error), diagnostics, trace);
  // The conversation is what the agent said.
  expect(shown(session.conversation.entries)).toContain(token);
});

test('what the fetch of the caller throws, with the headers in its fields', async () => {
  const failing: typeof fetch = async (_input, init) => {
    const sent = new Headers(init?.headers);
    throw Object.assign(new TypeError(`failed ${sent.get('authorization')}`), {
      request: { headers: [...sent] },
      cause: Object.assign(new Error(`inner ${sent.get('cookie')}`), { code: 'EFAIL', data: [...sent] }),
    });
  };
  const { message, cause } = await failure(`http://127.0.0.1:1/acp${query}`, { fetch: failing });
  expect(message).toMatch(/could not be reached: inner \[redacted\].*\(EFAIL\)/);
  // The outer one is the error of `connect`.
  expect(cause).toMatchObject({ cause: { message: 'failed [redacted]', cause: { code: 'EFAIL' } } });
});

test.each([
  ['streamable HTTP', streamableHttp],
  ['remoteTransport', remoteTransport],
])('inspect of what %s returns, before and after it was used', async (_name, make) => {
  const { origin } = await rawServer();
  const transport = make(`${origin}/acp${query}`, { headers });
  expectNoSecret(transport);
  transport.listen({ onMessage() {}, onDiagnostic() {}, onActivity() {} });
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  expectNoSecret(transport);
  await transport.close();
  expectNoSecret(transport, await transport.ended);
});

test('inspect of a connection and its sessions', async () => {
  const { origin } = await rawServer();
  const { connection, session } = await openHttpSession(`${origin}/acp${query}`, { headers });
  expectNoSecret(connection, session);
});

test.each([
  ['a line break', 'Bearer secret-0123456789\r\nx-injected: 1'],
  ['a line feed', 'Bearer secret-0123456789\nx'],
  ['NUL', 'Bearer secret-0123456789\0'],
  ['another control character', 'Bearer secret-0123456789\x01'],
  ['a character that HTTP has no byte for', 'Bearer secret-0123456789 €'],
])('a header value with %s is refused without its value, from a function too', async (_case, value) => {
  const server = await rawServer();
  expect(() => streamableHttp(server.url, { headers: { authorization: value } })).toThrow(
    /^(?!.*secret-0123456789).*headers must be an object of header names with their values/s,
  );
  const error: unknown = await connectHttp(server.url, { headers: () => ({ authorization: value }) }).catch(
    (thrown: unknown) => thrown,
  );
  expect(shown(error)).toContain('The function headers must return');
  expect(shown(error)).not.toContain('secret-0123456789');
  expect(server.requests).toEqual([]);
});
