import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../src/node/loopback/http-server.ts';

/** A WebSocket server that a test has started. */
export interface SocketServer {
  readonly port: number;
  readonly url: string;
  readonly server: WebSocketServer;
  /** The server's side of the first socket, once there is one. */
  readonly accepted: Promise<WebSocket>;
}

/** What a test knows of a message of the client. */
export interface SocketMessage {
  readonly id?: number | string;
  readonly method?: string;
}

/** Starts a server, which ends with the test. `take` gets each message of a client. */
export async function socketServer(
  take: (message: SocketMessage, socket: WebSocket, text: string) => void = () => {},
): Promise<SocketServer> {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  const accepted = new Promise<WebSocket>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('message', (data) => take(JSON.parse(String(data)), socket, String(data)));
      resolve(socket);
    });
  });
  const port = await listen(http);
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    http.close();
  });
  return { port, url: `ws://127.0.0.1:${port}`, server, accepted };
}
