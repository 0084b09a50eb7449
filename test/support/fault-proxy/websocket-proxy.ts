import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../transports/port.ts';
import { type ChannelFaults, type Direction, type PassingMessage, Row } from './channel-faults.ts';
import type { Network } from './network.ts';

/** A proxy between clients and a WebSocket server. It passes bytes on, one frame after the other. */
export interface WebSocketFaultProxy {
  /** Such as `ws://127.0.0.1:1234`. */
  readonly url: string;
  close(): void;
}

export async function webSocketFaultProxy(
  target: string,
  faults: ChannelFaults,
  network: Network,
): Promise<WebSocketFaultProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (network.isAway) return void client.destroy();
    const { hostname, port } = new URL(target);
    const upstream = connect({ host: hostname, port: Number(port) });
    const both = [client, upstream];
    const breakOff = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', breakOff);
      socket.on('close', () => {
        sockets.delete(socket);
        breakOff();
      });
    }
    passFrames(client, upstream, { faults, direction: 'to the agent', breakOff });
    passFrames(upstream, client, { faults, direction: 'to the client', breakOff });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${portOf(server)}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Passage {
  readonly faults: ChannelFaults;
  readonly direction: Direction;
  breakOff(): void;
}

const textFrame = 1;

function passFrames(from: Socket, to: Socket, { faults, direction, breakOff }: Passage): void {
  const row = new Row();
  const write = (bytes: Uint8Array) => row.add(() => to.destroyed || to.write(bytes));
  let rest = Buffer.alloc(0);
  let isUpgraded = false;
  from.on('end', () => row.add(() => to.end()));
  from.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    if (!isUpgraded) {
      const end = rest.indexOf('\r\n\r\n');
      if (end === -1) return;
      write(rest.subarray(0, end + 4));
      rest = rest.subarray(end + 4);
      isUpgraded = true;
    }
    for (let length = frameLength(rest); length <= rest.length; length = frameLength(rest)) {
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      const message: PassingMessage = {
        bytes,
        write,
        hold: (until) => row.add(() => until),
        breakOff: () =>
          row.add(async () => {
            // When everything has been written.
            if (!to.destroyed) await new Promise((done) => to.write(Buffer.alloc(0), done));
            breakOff();
          }),
      };
      if (((bytes[0] ?? 0) & 0x0f) === textFrame) faults.pass(direction, message);
      else write(bytes);
    }
  });
}

/**
 * The length of the first frame with its head, or infinity if its head is not complete.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2
 */
function frameLength(bytes: Buffer): number {
  if (bytes.length < 2) return Number.POSITIVE_INFINITY;
  const second = bytes[1] ?? 0;
  const maskLength = second & 0x80 ? 4 : 0;
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 2 + lengthBytes) return Number.POSITIVE_INFINITY;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  return 2 + lengthBytes + maskLength + length;
}
