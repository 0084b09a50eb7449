import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ClientConnection, ConnectionState } from '../../src/core/client/connection.ts';
import { listen } from '../../src/node/loopback/http-server.ts';
import { buildDemoAgent } from '../support/build.ts';
import { eventually } from '../support/eventually.ts';
import { messages, outline } from '../support/open-session.ts';
import { startProxy, whyNot } from '../support/proxies.ts';
import { startServeExample } from '../support/serve-example.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { connectTo, type TransportName, transportNames } from './round.ts';

/** A wire to a port of this machine that can be cut. */
interface CutWire {
  /** The port of this end, which is the same after each cut. */
  readonly port: number;
  /** Breaks all connections, and refuses new ones. */
  cut(): void;
  /** Lets connections pass again. */
  mend(): Promise<void>;
}

/** Lays a wire to a port. The end of the test removes it. */
async function layWire(target: number): Promise<CutWire> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const mend = async () => {
    server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    port = await listen(server, port);
  };
  const cut = () => {
    server?.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  await mend();
  onTestFinished(cut);
  return { port, cut, mend };
}

const ways = ['directly', 'through nginx'] as const;

/** Only for a hang. */
const limitMs = 120_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Connects with the defaults of `reconnect` to the server of the example, over a wire that can be cut. */
async function connectOverWire(transport: TransportName, way: (typeof ways)[number]) {
  const folder = temporaryFolder();
  const server = await startServeExample({
    agent: [process.execPath, await buildDemoAgent(), '--state', folder],
  });
  const behind =
    way === 'directly' ? server.url : await startProxy('nginx', { servers: [server.port, server.port] });
  const wire = await layWire(Number(new URL(behind).port));
  const url = `http://127.0.0.1:${wire.port}/acp`;
  const { connection } = await connectTo({ url, transport, reconnect: {} });
  const states: ConnectionState[] = [];
  connection.onStateChange((state) => states.push(state));
  return { connection, states, wire, agents: server.children };
}

/** Lets time pass for this program: at once where it waits for the next attempt, and as it does otherwise. */
async function passTime(connection: ClientConnection, ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    const { nextAttemptAt } = connection.reconnection;
    const waitMs = Math.min(nextAttemptAt ?? 0, end) - Date.now();
    if (waitMs > 0) await vi.advanceTimersByTimeAsync(waitMs);
    else await new Promise(setImmediate);
  }
}

describe.each(ways)('%s', (way) => {
  const skipped = way === 'through nginx' && whyNot('nginx') !== undefined;

  test
    .skipIf(skipped)
    .each(transportNames.flatMap((transport) => [9, 60, 600].map((seconds) => ({ transport, seconds }))))(
    '[reliability: outages] over $transport, a connection is back after the network was away for $seconds s',
    { timeout: limitMs },
    async ({ transport, seconds }) => {
      const { connection, states, wire, agents } = await connectOverWire(transport, way);
      const session = await connection.newSession({ cwd: '/home/ada' });
      await session.prompt('Say something first.');
      const before = outline(session.conversation);
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
        shouldAdvanceTime: true,
      });
      wire.cut();
      await passTime(connection, seconds * 1000);
      expect(states).toEqual(['reconnecting']);
      await wire.mend();
      while (connection.state !== 'open') await passTime(connection, 1000);
      await connection.ready;
      vi.useRealTimers();
      expect(outline(session.conversation)).toEqual(before);
      expect((await session.prompt('And once more.')).stopReason).toBe('end_turn');
      expect(states).toEqual(['reconnecting', 'open']);
      expect(await agents()).toHaveLength(1);
      await connection.close();
      await eventually(agents).toEqual([]);
    },
  );

  test.skipIf(skipped).each(transportNames)(
    '[reliability: one-agent] over %s, a turn that is cut off ends at the old agent before another one gets its session',
    { timeout: limitMs },
    async (transport) => {
      const { connection, wire, agents } = await connectOverWire(transport, way);
      const session = await connection.newSession({ cwd: '/home/ada' });
      const cut = session.prompt('Count slow sheep.').catch((error: unknown) => error);
      await eventually(() => JSON.stringify(messages(session.conversation))).toContain('3');
      const [first] = await agents();
      const failures: (number | null)[] = [];
      connection.reconnection.onNextAttempt((at) => failures.push(at));
      wire.cut();
      // Two attempts have failed.
      await eventually(() => failures.filter((at) => at !== null).length).toBe(3);
      await wire.mend();
      connection.reconnection.retryNow();
      await connection.ready;
      // The agent of the session is idle, and does not know how the turn ended.
      expect(await cut).toMatchObject({ stopReason: null });
      const running = await agents();
      expect(running).toHaveLength(1);
      expect(running).not.toContain(first);
      const shown = outline(session.conversation);
      expect(shown.some((line) => line.startsWith('interrupted: '))).toBe(true);
      // What the agent keeps of the turn is in the transcript, with all that the user has seen.
      const answered = (from: readonly string[]) =>
        from.filter((line) => line.startsWith('agent: ')).join('');
      await connection.loadSession({ sessionId: session.sessionId, cwd: '/home/ada' });
      expect(answered(shown).startsWith(answered(outline(session.conversation)))).toBe(true);
      await connection.close();
      await eventually(agents).toEqual([]);
    },
  );

  test.skipIf(skipped).each(transportNames)(
    '[reliability: attempts] over %s, a network that is lost six times, with a turn between, is not given up',
    { timeout: limitMs },
    async (transport) => {
      const { connection, states, wire, agents } = await connectOverWire(transport, way);
      const session = await connection.newSession({ cwd: '/home/ada' });
      const prompts = ['one', 'two', 'three', 'four', 'five', 'six'];
      for (const [index, prompt] of prompts.entries()) {
        expect((await session.prompt(prompt)).stopReason).toBe('end_turn');
        wire.cut();
        await eventually(() => connection.state).toBe('reconnecting');
        await wire.mend();
        connection.reconnection.retryNow();
        await eventually(() => states.length).toBe(2 * (index + 1));
        expect(connection.state).toBe('open');
        await connection.ready;
      }
      const asked = outline(session.conversation).filter((line) => line.startsWith('user: '));
      expect(asked).toEqual(prompts.map((prompt) => `user: ${prompt}`));
      expect(await agents()).toHaveLength(1);
      await connection.close();
      await eventually(agents).toEqual([]);
    },
  );
});
