import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';

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
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: server.address().port,
    cut,
    async close() {
      cut();
      await new Promise((resolve) => {
        server.close(resolve);
      });
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
