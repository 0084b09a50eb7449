import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { makeCertificate, whyNoCertificate } from '../support/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { authorized, type ServeExample, startServeExample } from '../support/serve-example.ts';
import { letTimePass } from '../support/time.ts';
import {
  connectTo,
  fetchTrusting,
  officialAgent,
  playRound,
  socketTrusting,
  transportNames,
} from './round.ts';

/** Only there the processes of a server are found, and a signal can be handled everywhere but on Windows. */
const isLinux = process.platform === 'linux';

if (whyNoCertificate) process.stderr.write(`The tests with TLS are skipped: ${whyNoCertificate}.\n`);

const json = { 'Content-Type': 'application/json', ...authorized };
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {} },
});
const post = (url: string, headers: Readonly<Record<string, string>>, body = initialize) =>
  fetch(url, { method: 'POST', headers, body });

/** The status with which the server answers an upgrade; the code of the end if it accepts it. */
async function upgrade(url: string, headers: Readonly<Record<string, string>>, sent = ''): Promise<number> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
    socket.on('open', () => socket.send(sent));
    socket.on('close', (code) => resolve(code));
  });
}

const nothingLeft = ({ children }: ServeExample) => eventually(children).toEqual([]);

describe.each(transportNames)('over %s', (transport) => {
  test.each(['v1', 'v2'])(
    'an agent of the official SDK of version %s plays a session, and ends with it',
    async (version) => {
      const server = await startServeExample({ agent: officialAgent(version) });
      await playRound({ url: server.url, transport });
      await nothingLeft(server);
      expect(server.complaints()).toBe('');
    },
  );

  test.skipIf(whyNoCertificate)('with TLS, in HTTP/2 if the client speaks it', async () => {
    const { key, cert, ca } = makeCertificate();
    const server = await startServeExample({
      agent: officialAgent('v1'),
      env: { TLS_KEY: key, TLS_CERT: cert },
    });
    const versions = fetchTrusting(ca);
    for (const fetch of [versions.http1, versions.http2]) {
      await playRound({ url: server.url, transport, options: { fetch, WebSocket: socketTrusting(ca) } });
    }
    await nothingLeft(server);
    expect(server.complaints()).toBe('');
  });

  test('each connection has an agent of its own', async () => {
    const server = await startServeExample({ agent: officialAgent('v1') });
    const [first, second] = await Promise.all([0, 1].map(() => connectTo({ url: server.url, transport })));
    const open = async (opened: typeof first) =>
      (await opened?.connection.newSession({ cwd: '/' }))?.sessionId;
    expect([await open(first), await open(first), await open(second)]).toEqual([
      'official-1',
      'official-2',
      'official-1',
    ]);
    await first?.connection.close();
    expect(await open(second)).toBe('official-2');
    await second?.connection.close();
    await nothingLeft(server);
  });

  test.runIf(isLinux)('SIGTERM ends the connections and the agents, in order', async () => {
    const server = await startServeExample();
    const { connection } = await connectTo({ url: server.url, transport });
    server.process.kill('SIGTERM');
    expect(await once(server.process, 'exit')).toEqual([0, null]);
    await connection.closed;
    expect(await server.children()).toEqual([]);
  });

  test.runIf(isLinux)('no agent is left after the server was killed', async () => {
    const server = await startServeExample();
    const { connection } = await connectTo({ url: server.url, transport });
    expect(await server.children()).not.toEqual([]);
    server.process.kill('SIGKILL');
    await connection.closed;
    await nothingLeft(server);
  });

  test('an agent that does not start is an error of the connection, and the server says why', async () => {
    const server = await startServeExample({ agent: ['/no/such/agent'] });
    await expect(connectTo({ url: server.url, transport })).rejects.toThrow();
    expect(server.complaints()).toContain('/no/such/agent');
  });

  test('an agent does not get the token', async () => {
    const program = 'console.error(Object.keys(process.env).filter((name) => /ACP_TOKEN|PORT/.test(name)))';
    const server = await startServeExample({ agent: [process.execPath, '-e', program] });
    await expect(connectTo({ url: server.url, transport })).rejects.toThrow();
    expect(server.complaints()).toContain("[ 'PORT' ]");
  });
});

describe('a request is refused, and starts no agent,', () => {
  test('without the token, or for another path', async () => {
    const server = await startServeExample();
    const withToken = (token: string) => ({ ...json, Authorization: token });
    const right = authorized['Authorization'] ?? '';
    const cases = [
      ['', { 'Content-Type': 'application/json' }, 401],
      ['', withToken(right.replace(/.$/, 'T')), 401],
      ['', withToken(`${right}s`), 401],
      ['/more', json, 404],
    ] as const;
    for (const [path, headers, status] of cases) {
      const url = `${server.url}${path}`;
      expect([(await post(url, headers)).status, await upgrade(url, headers)]).toEqual([status, status]);
    }
    expect(await server.children()).toEqual([]);
  });

  test('above the number of connections, until one has ended', async () => {
    const server = await startServeExample({ env: { MAX_CONNECTIONS: '1' } });
    const { connection } = await connectTo({ url: server.url, transport: 'WebSocket' });
    const refused = await post(server.url, json);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await upgrade(server.url, authorized)).toBe(503);
    await connection.close();
    await eventually(async () => (await post(server.url, json)).status).toBe(200);
  });

  test('if its message is too long', async () => {
    const server = await startServeExample({ env: { MAX_MESSAGE_BYTES: '1000' } });
    expect((await post(server.url, json, ' '.repeat(1001))).status).toBe(413);
    expect(await upgrade(server.url, authorized, ' '.repeat(1001))).toBe(1009);
    await nothingLeft(server);
  });
});

test.runIf(isLinux)('a client of streamable HTTP that is gone without a word loses its agent', async () => {
  const server = await startServeExample({ env: { IDLE_MS: '200' } });
  const opened = await post(server.url, json);
  const id = opened.headers.get('acp-connection-id') ?? '';
  const control = new AbortController();
  const headers = { ...authorized, 'Acp-Connection-Id': id, Accept: 'text/event-stream' };
  const stream = () => fetch(server.url, { headers, signal: control.signal });
  expect((await stream()).status).toBe(200);
  // A second stream is refused, and does not end the connection.
  expect((await stream()).status).toBe(409);
  await letTimePass(600);
  expect(await server.children()).not.toEqual([]);
  control.abort();
  await nothingLeft(server);
});
