import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isToken, newToken } from '../loopback/front.ts';
import { nodeCommand } from '../node/node-command.ts';
import { settlesWithin, withLimits } from '../wait.ts';
import type { Endpoint, EndpointParts } from './endpoint.ts';
import { LiveServers } from './live-servers.ts';
import { addressVariable, bridgeProgram, tokenVariable } from './stdio-bridge.ts';

/** How many programs an agent has connected at the same time. */
const maxConnections = 16;

/** How long a connected program has for its token, in milliseconds. */
const tokenLimitMs = 10_000;

/** The longest first line, in bytes. */
const maxTokenBytes = 256;

/**
 * The way over stdio, for one session: the agent starts a small program, which connects to this process over a socket in
 * a private folder, or over a named pipe on Windows. The program gets its token in the environment.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function openStdio(parts: EndpointParts): Promise<Endpoint> {
  const { name, host, packages } = parts;
  const token = newToken();
  const live = new LiveServers(parts.create);
  const connections = new Set<Socket>();
  // Only the user can enter the folder.
  const folder = await mkdtemp(join(tmpdir(), 'acp-tools-'));
  const address =
    process.platform === 'win32' ? `\\\\.\\pipe\\acp-tools-${newToken()}` : join(folder, 'socket');
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    // The end of a connection is what its close says.
    socket.on('error', () => {});
    admit(socket, token).then(
      () => packages.stdio.serveStdio(live.create, { transport: transportOf(socket, parts) }),
      (error: unknown) => {
        socket.destroy();
        const why = error instanceof Error ? error.message : String(error);
        const message = `The server ${name} refused a program that connected to its socket: ${why}`;
        host.report({ rule: 'tools.refused', severity: 'warning', message });
      },
    );
  });
  server.maxConnections = maxConnections;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of connections) socket.destroy();
    await settlesWithin(closed, 1000);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const program = join(folder, 'bridge.cjs');
    await writeFile(program, bridgeProgram, { mode: 0o600 });
    await listen(server, address);
    const { command, args, env } = nodeCommand(program);
    const variables = { ...env, [addressVariable]: address, [tokenVariable]: token };
    return {
      description: {
        name,
        command,
        args: args ?? [],
        env: Object.entries(variables).map(([key, value]) => ({ name: key, value: String(value) })),
      },
      toolsChanged: () => live.toolsChanged(),
      close,
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function listen(server: Server, address: string): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
  // The agent keeps the process alive, and not what it can reach.
  server.unref();
}

/** Reads the first line, which must be the token. What follows it stays in the socket. */
async function admit(socket: Socket, token: string): Promise<void> {
  const line = await withLimits(firstLine(socket), { timeoutMs: tokenLimitMs }).catch(() => undefined);
  if (line === undefined) throw new Error('It sent no token.');
  if (!isToken(line, token)) throw new Error('Its token is wrong.');
}

function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const done = (line: string | undefined) => {
      socket.off('readable', take);
      socket.off('close', gone);
      resolve(line);
    };
    const gone = () => done(undefined);
    const take = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        read = Buffer.concat([read, chunk as Buffer]);
        const end = read.indexOf('\n');
        if (end >= 0) {
          if (end + 1 < read.length) socket.unshift(read.subarray(end + 1));
          return done(read.subarray(0, end).toString('utf8'));
        }
        if (read.length > maxTokenBytes) return done(undefined);
      }
    };
    socket.on('readable', take);
    socket.once('close', gone);
  });
}

/** The transport of a connected program, which ends with its connection. */
function transportOf(socket: Socket, { packages }: EndpointParts) {
  const transport = new packages.stdio.StdioServerTransport(socket, socket);
  socket.once('close', () => void transport.close());
  return transport;
}
