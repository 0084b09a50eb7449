import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { exitOf } from '../../../src/core/transport/memory/memory-transport.ts';
import { listen } from '../../../src/node/loopback/http-server.ts';
import type { SpawnedAgent } from '../../../src/node/process/agent-process.ts';
import type { SpawnAgentOptions } from '../../../src/node/process/spawn.ts';
import { type AgentHost, LateAgentEnd, perLine, type Wire } from './wire.ts';

const relay = fileURLToPath(new URL('stdio-relay.mjs', import.meta.url));

/** The two sockets of one program. */
interface Sockets {
  bytes?: Socket;
  orders?: Socket;
}

/** An agent whose stdin and stdout are those of a child process of the client. */
export interface ProgramWire extends Wire {
  readonly transport: SpawnedAgent;
  /** Resolves when the program runs. */
  readonly connected: Promise<unknown>;
  /** Lets the program do something. Resolves when it has done it, or when its exit waits for what the agent wrote. */
  order(name: Order, how?: object): Promise<void>;
}

/** What a program can be told to do. */
export type Order = 'closeInput' | 'stopReading' | 'ignoreSignals' | 'exit';

/** How a program is started. */
export interface ProgramOptions extends Partial<SpawnAgentOptions> {
  /** A child of the program that does not end by itself, with an output of its own or with that of the program. */
  readonly child?: 'alone' | 'shares' | undefined;
  /** Whether the program goes on when its input has ended. Default: it ends its output. */
  readonly outlivesInput?: boolean;
}

export interface ProgramHost extends AgentHost {
  start(options: ProgramOptions): ProgramWire;
}

/** Agents whose stdin and stdout are those of a child process of the client. */
export async function stdioHost(): Promise<ProgramHost> {
  const agents: ((kind: keyof Sockets, socket: Socket, first: Buffer) => void)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    // The program may be killed.
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', (chunk: Buffer) => {
      const lineEnd = chunk.indexOf('\n');
      const [number, kind] = chunk.toString('utf8', 0, lineEnd).split(' ');
      agents[Number(number)]?.(kind === 'orders' ? 'orders' : 'bytes', socket, chunk.subarray(lineEnd + 1));
    });
  });
  const port = await listen(server);
  const start = ({ child, outlivesInput = false, ...options }: ProgramOptions): ProgramWire => {
    const end = new LateAgentEnd();
    const connected = deferred<Required<Sockets>>();
    const own: Sockets = {};
    const number = agents.push((kind, socket, first) => {
      own[kind] = socket;
      const { bytes, orders } = own;
      if (kind === 'bytes') readLines(socket, first, end, outlivesInput);
      if (!bytes || !orders) return;
      attach(end, bytes, orders);
      connected.resolve({ bytes, orders });
    });
    const args = [relay, String(port), String(number - 1), ...(child ? [child] : [])];
    return {
      transport: spawnAgent({ command: process.execPath, args, ...options }),
      agent: end,
      breakOff: () => end.exit(),
      connected: connected.promise,
      async order(name, how) {
        const { orders } = await connected.promise;
        await give(orders, name, how);
      },
    };
  };
  return {
    start,
    open: () => start({}),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function readLines(socket: Socket, first: Buffer, end: LateAgentEnd, outlivesInput: boolean): void {
  const take = perLine((line) => end.receive(line));
  take(first);
  socket.on('data', take);
  socket.once('end', () => {
    end.clientEnded();
    if (!outlivesInput) socket.end();
  });
}

/** Resolves when the program confirms the order. */
function give(orders: Socket, name: Order, how: object = {}): Promise<unknown> {
  orders.write(`${JSON.stringify({ name, ...how })}\n`);
  return new Promise((resolve) => orders.once('data', resolve));
}

function attach(end: LateAgentEnd, bytes: Socket, orders: Socket): void {
  bytes.once('close', () => orders.end());
  end.attach({
    write: (chunk) => void bytes.write(chunk),
    end: () => void bytes.end(),
    closeInput: () => void give(orders, 'closeInput'),
    exit(exit = {}) {
      // The program exits when it has passed on all bytes, and knows how by then.
      void give(orders, 'exit', exitOf(exit)).then(() => bytes.end());
    },
  });
}
