import type { Socket } from 'node:net';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { isJsonObject } from '../core/base/json.ts';
import * as rpcCodes from '../core/rpc/codes.ts';
import { inputFrom, outputTo } from '../core/transport/byte-streams.ts';
import { lineTransport } from '../core/transport/ndjson.ts';
import type { Transport as LineTransport } from '../core/transport/transport.ts';
import { maxMessageBytes, type OnTaken, slowReaderLimitMs } from './endpoint.ts';
import type { McpPackages } from './packages.ts';
import { maxUnreadResultBytes, unreadReason } from './unread-results.ts';

/** How many requests of one program are open at the same time: its calls and a few more. */
export const maxOpenRequests = 96;

/** With more unread answers than this, in bytes, nothing more is read. */
export const maxUnreadBytes = 4 * 1024 * 1024;

/** The first code that JSON-RPC leaves to servers. */
const overLimit = -32_000;

/** MCP over a socket, one message a line. */
export class SocketWire implements Transport {
  onclose?: () => void;
  onmessage?: Transport['onmessage'];
  readonly #socket: Socket;
  readonly #lines: LineTransport;
  readonly #parse: McpPackages['server']['parseJSONRPCMessage'];
  readonly #refused: (why: string) => void;
  /** The requests that are open, with what waits until their answers are taken. */
  readonly #requests = new Map<RequestId, (() => void)[]>();

  /** @param refused - Told what was not taken, as a sentence about the program at the other end. */
  constructor(socket: Socket, { server }: McpPackages, refused: (why: string) => void) {
    this.#socket = socket;
    this.#lines = lineTransport(inputFrom(socket), outputTo(socket), { maxLineBytes: maxMessageBytes });
    this.#parse = server.parseJSONRPCMessage;
    this.#refused = refused;
    socket.on('timeout', () => {
      refused(`It did not read its answers for ${slowReaderLimitMs / 1000} seconds.`);
      socket.destroy();
    });
  }

  async start(): Promise<void> {
    this.#lines.listen({
      onMessage: (message) => this.#receive(message),
      onDiagnostic: () => this.#refused('It sent a line that is not a message.'),
      onActivity: () => {},
    });
    void this.#lines.ended.then(({ error }) => {
      if (error?.code === 'protocol.message_too_large') {
        this.#refused(`It sent a line of more than ${maxMessageBytes} bytes.`);
      }
      this.#socket.destroy();
      for (const id of [...this.#requests.keys()]) this.#close(id)();
      this.onclose?.();
    });
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }

  readonly onTaken: OnTaken = ({ mcpReq }, listener) => {
    const waiting = this.#requests.get(mcpReq.id);
    if (waiting) waiting.push(listener);
    else listener();
  };

  async send(message: JSONRPCMessage): Promise<void> {
    const taken = 'method' in message || message.id === undefined ? () => {} : this.#close(message.id);
    await this.#write(this.#affordable(message)).finally(taken);
  }

  /** A request is open no more. Returns what is to be called when its answer is taken. */
  #close(id: RequestId): () => void {
    const waiting = this.#requests.get(id) ?? [];
    this.#requests.delete(id);
    return () => {
      for (const listener of waiting) listener();
    };
  }

  /** The results of a server that counts none of them: the calls of a program that does not read can have ended. */
  #affordable(message: JSONRPCMessage): JSONRPCMessage {
    if (!('result' in message) || (this.#lines.queuedBytes ?? 0) <= maxUnreadResultBytes) return message;
    this.#refused(`It did not read its answers, and a result was dropped. ${unreadReason()}`);
    return { jsonrpc: '2.0', id: message.id, error: { code: overLimit, message: unreadReason() } };
  }

  async #write(message: JSONRPCMessage): Promise<void> {
    const sent = this.#lines.send(message);
    this.#pace();
    await sent;
    this.#pace();
  }

  /** Reads no more from a program that does not read. */
  #pace(): void {
    const isFull = (this.#lines.queuedBytes ?? 0) > maxUnreadBytes;
    this.#socket.setTimeout(isFull ? slowReaderLimitMs : 0);
    if (isFull) this.#lines.pause?.();
    else this.#lines.resume?.();
  }

  #receive(received: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = this.#parse(received);
    } catch {
      return this.#refuse(received, rpcCodes.invalidRequest, 'This is not a message of MCP.');
    }
    if ('method' in message && 'id' in message) {
      const { id } = message;
      if (this.#requests.size >= maxOpenRequests || this.#requests.has(id)) {
        return this.#refuse(message, overLimit, 'Too many requests are open, or one with this id.');
      }
      this.#requests.set(id, []);
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      // A cancelled request is not answered.
      const cancelled = message.params?.['requestId'];
      if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#close(cancelled)();
    }
    this.onmessage?.(message);
  }

  /** The sender of a request waits for an answer. */
  #refuse(received: unknown, code: number, message: string): void {
    this.#refused(message);
    if (!isJsonObject(received) || !('method' in received)) return;
    const { id } = received;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }
}
