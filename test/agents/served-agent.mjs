import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Transform } from 'node:stream';
import { endProgram, spawn } from '../support/spawn.mjs';
import { within } from './scenario/waiting.mjs';

const startLimitMs = 60_000;

/**
 * Starts the agent's own server for clients on other machines.
 *
 * @param launch - What `agent.serve` returned.
 * @returns `{ url, kill() }`. `kill` ends it at once.
 */
export async function startServer({ launch, place }) {
  const { command, args, env, path, isReady } = launch;
  const child = spawn(command, args, {
    cwd: place.project.folder,
    env: { ...place.environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = [];
  let url;
  let isStarted = false;
  const announced = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The server did not start: ${lines.join('\n')}`)));
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        if (lines.length < 50) lines.push(line);
        url ??= /https?:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        isStarted ||= isReady(line);
        if (url && isStarted) resolve(`${url}${path}`);
      });
    }
  });
  const announcedUrl = await within(announced, startLimitMs);
  if (announcedUrl === 'late') throw new Error(`The server did not say its URL: ${lines.join('\n')}`);
  return {
    url: announcedUrl,
    kill: () => endProgram(child),
  };
}

/**
 * A wire to a port of this machine that can be cut. A server may take requests for its own host and port only, so that
 * the wire puts that port in their place.
 *
 * @returns `{ port, cut(), close() }`. `cut` ends all connections at once; new ones are passed on.
 */
export async function startWire(targetPort) {
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(renamed(server.address().port, targetPort)).pipe(far);
    far.pipe(near);
  });
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    cut,
    async close() {
      cut();
      await once(server.close(), 'close');
    },
  };
}

/** Both ports have the same number of digits: they are those that the system gives to programs. */
function renamed(port, otherPort) {
  return new Transform({
    transform(chunk, _encoding, done) {
      const text = chunk.toString('latin1').replace(`127.0.0.1:${port}`, `127.0.0.1:${otherPort}`);
      done(null, Buffer.from(text, 'latin1'));
    },
  });
}
