import type {
  JSONRPCMessage,
  JSONRPCNotification,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import { onAbort } from '../core/base/wait.ts';
import type { McpMessage, McpMessageAnswer } from '../core/model/mcp-server.ts';
import type { AgentRequest } from '../core/rpc/agent-requests.ts';
import * as rpcCodes from '../core/rpc/codes.ts';
import { RequestError } from '../core/rpc/request-error.ts';
import type { Endpoint, EndpointParts, OnTaken } from './endpoint.ts';
import type { McpPackages } from './packages.ts';

/** How many requests of one session are under way at the same time: its calls, their cancelled ones and a few more. */
export const maxRequests = 96;

/**
 * The way over the connection to the agent: each request to the server is one `mcp/message`.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 */
export function openAcp({ name, packages, create, host }: EndpointParts): Endpoint {
  const serverId = `${name}:${globalThis.crypto.randomUUID()}`;
  const wire = new AcpWire(serverId, packages, (message) => host.notify(message));
  const handle = packages.stdio.serveStdio(create(wire.onTaken), {
    transport: wire,
    // The versions of MCP with a handshake need a connection, which this way does not have.
    legacy: 'reject',
    maxSubscriptions: maxRequests,
  });
  return {
    description: { type: 'acp', name, serverId },
    serve: (message, request) => wire.serve(message, request),
    async close() {
      wire.end();
      await handle.close();
    },
  };
}

interface OpenRequest extends Pick<AgentRequest, 'onTaken'> {
  readonly progressToken: unknown;
  settle(answer: McpMessageAnswer): void;
}

/** The messages of one session, as the transport of an MCP server. */
class AcpWire implements Transport {
  onclose?: () => void;
  onmessage?: Transport['onmessage'];
  readonly #serverId: string;
  readonly #parse: McpPackages['server']['parseJSONRPCMessage'];
  readonly #notify: (message: McpMessage) => Promise<void>;
  readonly #requests = new Map<RequestId, OpenRequest>();

  constructor(serverId: string, { server }: McpPackages, notify: (message: McpMessage) => Promise<void>) {
    this.#serverId = serverId;
    this.#parse = server.parseJSONRPCMessage;
    this.#notify = notify;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Ends the requests under way. */
  end(): void {
    for (const [requestId] of this.#requests) this.#withdraw(requestId, 'The session is over.');
  }

  readonly onTaken: OnTaken = ({ mcpReq }, listener) => {
    const request = this.#requests.get(mcpReq.id);
    if (request) request.onTaken(listener);
    else listener();
  };

  serve(message: McpMessage, { signal, onTaken }: AgentRequest): Promise<McpMessageAnswer> {
    const { requestId, method } = message;
    if (this.#requests.has(requestId)) {
      throw refused(rpcCodes.invalidParams, 'A request with this requestId is under way.', message);
    }
    if (this.#requests.size >= maxRequests) {
      throw refused(rpcCodes.mcpLimitExceeded, `${maxRequests} requests are under way already.`, message);
    }
    // Agents send `null` for no parameters.
    const params = message.params ?? undefined;
    const meta = isJsonObject(params?.['_meta']) ? params['_meta'] : {};
    const request = this.#requestFrom(message, { method, ...(params && { params }) });
    return new Promise((resolve) => {
      // The end of the connection aborts it too, after the calls under way were interrupted.
      const stop = onAbort(signal, () => this.#withdraw(requestId, 'The agent cancelled the request.'));
      const settle = (answer: McpMessageAnswer) => {
        stop();
        this.#requests.delete(requestId);
        resolve(answer);
      };
      this.#requests.set(requestId, { settle, onTaken, progressToken: meta['progressToken'] });
      this.onmessage?.(request);
    });
  }

  /** The packages of MCP do not answer what is not a request for them. */
  #requestFrom(message: McpMessage, request: object): JSONRPCMessage {
    try {
      return this.#parse({ jsonrpc: '2.0', id: message.requestId, ...request });
    } catch {
      throw refused(rpcCodes.invalidParams, 'This is not a request of MCP.', message);
    }
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (!('method' in message)) {
      const { id } = message;
      const request = id === undefined ? undefined : this.#requests.get(id);
      request?.settle('error' in message ? { error: message.error } : { result: message.result });
      return;
    }
    if ('id' in message) throw new Error('Over ACP, an MCP server cannot send requests to the agent.');
    const requestId = options.relatedRequestId ?? this.#requestOf(message);
    // A message that belongs to no request has no way to the agent.
    if (requestId === undefined || !this.#requests.has(requestId)) return;
    const { method, params } = message;
    await this.#notify({
      serverId: this.#serverId,
      requestId: String(requestId),
      method,
      // What an MCP server sends is JSON, whose type in the packages of MCP is a wider one.
      ...(params && { params: params as JsonObject }),
    });
  }

  #withdraw(requestId: RequestId, reason: string): void {
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
    // A cancelled request has no answer from the server, and the agent waits for one.
    this.#requests.get(requestId)?.settle({ error: { code: rpcCodes.cancelled, message: reason } });
  }

  /** The request that a notification belongs to: by its subscription or its progress. */
  #requestOf({ params }: JSONRPCNotification): RequestId | undefined {
    const subscription = params?._meta?.['io.modelcontextprotocol/subscriptionId'];
    if (typeof subscription === 'string') return subscription;
    const token = params?.['progressToken'];
    for (const [requestId, request] of this.#requests) {
      if (token !== undefined && request.progressToken === token) return requestId;
    }
    return undefined;
  }
}

function refused(code: number, message: string, { serverId, requestId }: McpMessage): RequestError {
  return new RequestError(code, message, { serverId, requestId });
}
