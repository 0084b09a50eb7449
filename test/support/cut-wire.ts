import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../../src/node/loopback/http-server.ts';

/** A wire to a port of this machine that can be cut. */
export interface CutWire {
  /** The port of this end, which is the same after each cut. */
  readonly port: number;
  /** Breaks all connections, and refuses new ones. */
  cut(): void;
  /** Lets connections pass again. */
  mend(): Promise<void>;
}

/** Lays a wire to a port. The end of the test removes it. */
export async function layWire(target: number): Promise<CutWire> {
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
