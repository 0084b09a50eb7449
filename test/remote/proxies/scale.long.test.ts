import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { makeCertificate, whyNoCertificate } from '../../support/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { http2Fetch } from '../../support/http2-fetch.mjs';
import { outline } from '../../support/open-session.ts';
import { startProxy, whyNot } from '../../support/proxies.ts';
import { startServeExample } from '../../support/serve-example.ts';
import { connectTo, socketTrusting, type TransportName, transportNames } from '../round.ts';

/** What a process takes. Known on Linux only. */
interface Weight {
  readonly residentMb: number;
  readonly threads: number;
}

function weightOf(pid: number): Weight {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { residentMb: Math.round(number('VmRSS') / 1024), threads: number('Threads') };
}

/** How many TCP connections this process has to a port of this machine. */
function connectionsTo(port: number): number {
  const own = new Set(readdirSync('/proc/self/fd').map(socketOf));
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const established = '01';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , to, state, , , , , , inode]) => to?.endsWith(remote) && state === established && own.has(inode),
    ).length;
}

/** The number of the socket of an open file. */
function socketOf(descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
  } catch {
    // Closed meanwhile.
    return undefined;
  }
}

const cwd = '/home/user/project';
const agent = [process.execPath, fileURLToPath(new URL('programs/chunks-agent.mjs', import.meta.url))];

const portOf = (url: string) => Number(new URL(url).port);
const numbers = Array.from({ length: 20 }, (_, number) => number);

/** Asks in all sessions at once, and checks that each has its own answer, whole and once. */
async function promptAll(sessions: readonly Session[]): Promise<void> {
  const results = await Promise.all(sessions.map((session, index) => session.prompt(`question ${index}`)));
  expect(new Set(results.map(({ stopReason }) => stopReason))).toEqual(new Set(['end_turn']));
  for (const [index, { sessionId, conversation }] of sessions.entries()) {
    const said = numbers.map((number) => `${sessionId} question ${index} ${number}\n`).join('');
    expect(outline(conversation)).toEqual([`user: question ${index}`, `agent: ${said}`]);
  }
}

/** What is printed: a reader of the output sees what the limits are compared with. */
function say(what: string, found: object): void {
  process.stderr.write(`${what}: ${JSON.stringify(found)}\n`);
}

/**
 * How many TCP connections 200 sessions take. Over HTTP/1.1 each of the 201 streams has its own, and so has each of up to 200
 * messages under way. A few can be closing while others open.
 */
const ways = {
  'one HTTP/2 connection': { transport: 'streamable HTTP', isSecure: true, most: 1 },
  'one WebSocket': { transport: 'WebSocket', isSecure: true, most: 1 },
  'HTTP/1.1': { transport: 'streamable HTTP', isSecure: false, most: 410 },
} as const satisfies Readonly<Record<string, { transport: TransportName; isSecure: boolean; most: number }>>;

describe.skipIf(process.platform !== 'linux' || whyNoCertificate)('200 sessions of one agent', () => {
  test.each(Object.entries(ways))('over %s', async (name, { transport, isSecure, most }) => {
    const { key, cert, ca } = makeCertificate();
    const env: Record<string, string> = isSecure ? { TLS_KEY: key, TLS_CERT: cert } : {};
    const server = await startServeExample({ agent, env });
    const options = isSecure
      ? { fetch: http2Fetch(new URL(server.url).origin, { ca }), WebSocket: socketTrusting(ca) }
      : {};
    const { connection, diagnostics } = await connectTo({ url: server.url, transport, options });
    const measured = () => ({
      heapMb: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
      client: weightOf(process.pid),
      server: weightOf(server.process.pid ?? 0),
    });
    const before = measured();
    const started = performance.now();
    const sessions = await Promise.all(Array.from({ length: 200 }, () => connection.newSession({ cwd })));
    const openedMs = Math.round(performance.now() - started);
    await promptAll(sessions);
    const spokenMs = Math.round(performance.now() - started) - openedMs;
    const connections = connectionsTo(portOf(server.url));
    const after = measured();
    say(`200 sessions over ${name}`, { openedMs, spokenMs, connections, before, after });
    expect(connections).toBeLessThanOrEqual(most);
    expect(after.heapMb - before.heapMb).toBeLessThan(150);
    expect(after.client.residentMb - before.client.residentMb).toBeLessThan(400);
    // Those of libuv start when they are needed.
    expect(after.client.threads - before.client.threads).toBeLessThanOrEqual(6);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
    await connection.close();
    await eventually(server.children).toEqual([]);
    await eventually(() => connectionsTo(portOf(server.url))).toBeLessThanOrEqual(isSecure ? 1 : 0);
    expect(server.complaints()).toBe('');
  });
});

describe.skipIf(process.platform !== 'linux' || whyNot('nginx') !== undefined)(
  '50 agents behind nginx',
  () => {
    test.each(transportNames)('over %s', async (transport) => {
      const tls = makeCertificate();
      const env = { MAX_CONNECTIONS: '50' };
      const servers = [
        await startServeExample({ agent, env }),
        await startServeExample({ agent, env }),
      ] as const;
      const url = await startProxy('nginx', { servers: [servers[0].port, servers[1].port], tls });
      const before = weightOf(process.pid);
      const started = performance.now();
      const connections: ClientConnection[] = [];
      // Ten at a time: an agent is a process that starts.
      for (let count = 0; count < 50; count += 10) {
        const ten = Array.from({ length: 10 }, async () => {
          const fetch = http2Fetch(new URL(url).origin, { ca: tls.ca });
          const options = { fetch, WebSocket: socketTrusting(tls.ca) };
          return (await connectTo({ url, transport, options })).connection;
        });
        connections.push(...(await Promise.all(ten)));
      }
      onTestFinished(async () => {
        await Promise.all(connections.map((connection) => connection.close()));
      });
      const sessions = await Promise.all(connections.map((connection) => connection.newSession({ cwd })));
      const openedMs = Math.round(performance.now() - started);
      await promptAll(sessions);
      const spokenMs = Math.round(performance.now() - started) - openedMs;
      const perServer = await Promise.all(servers.map(async ({ children }) => (await children()).length));
      const after = weightOf(process.pid);
      const weights = servers.map(({ process: { pid = 0 } }) => weightOf(pid));
      const tcp = connectionsTo(portOf(url));
      say(`50 agents behind nginx over ${transport}`, {
        openedMs,
        spokenMs,
        tcp,
        perServer,
        before,
        after,
        weights,
      });
      expect(perServer.reduce((sum, count) => sum + count)).toBe(50);
      // The cookies spread them.
      expect(Math.min(...perServer)).toBeGreaterThan(5);
      expect(tcp).toBe(50);
      expect(after.residentMb - before.residentMb).toBeLessThan(300);
      expect(after.threads - before.threads).toBeLessThanOrEqual(6);
      await Promise.all(connections.map((connection) => connection.close()));
      for (const server of servers) {
        await eventually(server.children).toEqual([]);
        expect(server.complaints()).toBe('');
      }
    });
  },
);
