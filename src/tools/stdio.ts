import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { errorMessage } from '../core/base/diagnostic.ts';
import { settlesWithin } from '../core/base/wait.ts';
import { Connections } from '../node/loopback/connections.ts';
import { isToken, newToken } from '../node/loopback/front.ts';
import { endServer } from '../node/loopback/http-server.ts';
import { nodeCommand } from '../node/process/node-command.ts';
import type { Endpoint, EndpointParts } from './endpoint.ts';
import { privateFolder, removeFolder } from './private-folder.ts';
import { SocketWire } from './socket-wire.ts';

/** How many programs an agent has connected at the same time, and how many that have not sent the token. */
export const maxPrograms = 16;

/** How long a connected program has for its token, in milliseconds. */
export const tokenLimitMs = 10_000;

/** The longest first line, in bytes. */
export const maxTokenBytes = 256;

/** The variable with the address of the socket. */
export const addressVariable = 'ACP_TOOLS_ADDRESS';

/** The variable with the token. The environment of a process can be read by its user only, its command line by all. */
const tokenVariable = 'ACP_TOOLS_TOKEN';

/**
 * The program that an agent starts as an MCP server. It connects its input and output with the editor, and ends with
 * either. It is a text, because an editor that is one bundled file has no other file that an agent could start.
 */
const bridgeProgram = `'use strict';
const socket = require('node:net').connect(process.env.${addressVariable});
const fail = (error) => {
  process.stderr.write('The editor that provides these tools cannot be reached: ' + error.message + '\\n');
  process.exit(1);
};
socket.on('error', fail);
process.stdout.on('error', () => process.exit(0));
socket.write(process.env.${tokenVariable} + '\\n');
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('close', () => process.exit(0));
`;

/**
 * The way over stdio, for one session: the agent starts a small program, which connects to this process over a socket in
 * a private folder, or over a named pipe on Windows. The program gets its token in the environment.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function openStdio(parts: EndpointParts): Promise<Endpoint> {
  const { name, host, packages } = parts;
  const token = newToken();
  const refused = (why: string) => {
    const message = `The server ${name} refused a program that connected to its socket, or a part of what it sent: ${why}`;
    host.report({ rule: 'tools.refused', severity: 'warning', message });
  };
  const connections = new Connections({
    maxAdmitted: maxPrograms,
    maxWaiting: maxPrograms,
    onCrowded: () => refused(`More than ${maxPrograms} programs sent no token.`),
  });
  const serve = async (socket: Socket) => {
    await assertToken(socket, token);
    if (!connections.admit(socket)) throw new Error(`${maxPrograms} programs are connected already.`);
    const transport = new SocketWire(socket, packages, refused);
    packages.stdio.serveStdio(parts.create(transport.onTaken), { transport, maxSubscriptions: maxPrograms });
  };
  const server = createServer((socket) => {
    connections.add(socket);
    // The end of a connection is what its close says.
    socket.on('error', () => {});
    serve(socket).catch((error: unknown) => {
      socket.destroy();
      refused(errorMessage(error));
    });
  });
  // The pipes of Windows are in no folder. Who knows the name of one can open it for reading, and reads nothing.
  const pipe = process.platform === 'win32' ? `\\\\.\\pipe\\acp-tools-${newToken()}` : undefined;
  const folder = await privateFolder(async ({ path, socketPath }) => {
    await writeFile(bridgeIn(path), bridgeProgram, { mode: 0o600 });
    await listen(server, pipe ?? socketPath);
  });
  const { command, args, env } = nodeCommand(bridgeIn(folder.path));
  const variables = { ...env, [addressVariable]: pipe ?? folder.socketPath, [tokenVariable]: token };
  return {
    description: {
      name,
      command,
      args,
      env: Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
    },
    async close() {
      await endServer(server, connections);
      await removeFolder(folder.path);
    },
  };
}

/** The program in its folder. */
function bridgeIn(folder: string): string {
  return join(folder, 'bridge.cjs');
}

async function listen(server: Server, address: string): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
  // The agent keeps the process alive, and not what it can reach.
  server.unref();
}

/** Reads the first line, which must be the token. What follows it stays in the socket. */
async function assertToken(socket: Socket, token: string): Promise<void> {
  const first = firstLine(socket);
  // If the event loop was blocked, the timer fires before a token is read that arrived long ago.
  if (!(await settlesWithin(first, tokenLimitMs))) await turn();
  const line = await Promise.race([first, undefined]);
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
          socket.unshift(read.subarray(end + 1));
          return done(read.subarray(0, end).toString('utf8'));
        }
        if (read.length > maxTokenBytes) return done(undefined);
      }
    };
    socket.on('readable', take);
    socket.once('close', gone);
  });
}
