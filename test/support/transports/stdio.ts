import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { spawnAgent } from '../../../src/node/spawn.ts';
import { LineDecoder } from '../../../src/transport/lines.ts';
import { exitOf } from '../../../src/transport/memory/faults.ts';
import { portOf } from './port.ts';
import { type AgentHost, LateAgentEnd } from './wire.ts';

const relay = fileURLToPath(new URL('stdio-relay.mjs', import.meta.url));

/** The two sockets of one program. */
interface Sockets {
  bytes?: Socket;
  orders?: Socket;
}

/** Agents whose stdin and stdout are those of a child process of the client. */
export async function stdioHost(): Promise<AgentHost> {
  const agents: { readonly end: LateAgentEnd; readonly sockets: Sockets }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    // The program may be killed.
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', (chunk: Buffer) => {
      const lineEnd = chunk.indexOf('\n');
      const [number, kind] = chunk.toString('utf8', 0, lineEnd).split(' ');
      const agent = agents[Number(number)];
      if (!agent) throw new Error(`There is no agent ${number}.`);
      if (kind === 'orders') agent.sockets.orders = socket;
      else agent.sockets.bytes = socket;
      const { bytes, orders } = agent.sockets;
      if (kind === 'bytes') readLines(socket, chunk.subarray(lineEnd + 1), agent.end);
      if (bytes && orders) attach(agent.end, bytes, orders);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    open() {
      const end = new LateAgentEnd();
      const number = agents.push({ end, sockets: {} }) - 1;
      const args = [relay, String(portOf(server)), String(number)];
      return { transport: spawnAgent({ command: process.execPath, args }), agent: end };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function readLines(socket: Socket, first: Buffer, end: LateAgentEnd): void {
  const lines = new LineDecoder(Number.POSITIVE_INFINITY);
  const take = (chunk: Buffer) => {
    lines.push(chunk);
    for (let line = lines.take(); typeof line === 'string'; line = lines.take()) end.receive(line);
  };
  take(first);
  socket.on('data', take);
  socket.once('end', () => {
    end.clientEnded();
    socket.end();
  });
}

function attach(end: LateAgentEnd, bytes: Socket, orders: Socket): void {
  const order = (name: string, how = {}) => orders.write(`${JSON.stringify({ name, ...how })}\n`);
  bytes.once('close', () => orders.end());
  end.attach({
    write: (chunk) => void bytes.write(chunk),
    end: () => void bytes.end(),
    closeInput: () => void order('closeInput'),
    exit(exit = {}) {
      order('exit', exitOf(exit));
      // The program exits when it has passed on all bytes, and knows how by then.
      orders.once('data', () => bytes.end());
    },
  });
}
