import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { Connection } from './connection.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { negotiate } from './dialect.ts';
import { readObject } from './params.ts';
import type { Peer, Receiver, Reply } from './peer.ts';
import { rpcErrors } from './rpc-error.ts';
import type { SessionStore } from './sessions.ts';

export interface AgentOptions {
  readonly peer: Peer;
  readonly store: SessionStore;
  /** Speak this, whatever the client asks for. */
  readonly dialect: DialectName | undefined;
  readonly crash: () => Promise<void>;
}

/** The demo agent on one connection: agrees on a version, then leads each message to its method. */
export class DemoAgent implements Receiver {
  readonly #options: AgentOptions;
  #agreed: { readonly dialect: Dialect; readonly connection: Connection } | undefined;
  #inUse = false;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  request(method: string, params: JsonValue | undefined, cancelled: AbortSignal): Reply | Promise<Reply> {
    if (method === 'initialize') return this.#initialize(readObject(params, 'params'));
    if (!this.#agreed) throw rpcErrors.invalidRequest('The first request must be initialize');
    this.#inUse = true;
    const { dialect, connection } = this.#agreed;
    const run = dialect.methods.get(method);
    if (!run) throw rpcErrors.methodNotFound(method);
    return run(connection, readObject(params ?? {}, 'params'), cancelled);
  }

  notification(method: string, params: JsonValue | undefined): void {
    if (method !== 'session/cancel' || !isJsonObject(params)) return;
    const { sessionId } = params;
    if (typeof sessionId === 'string') this.#agreed?.connection.openSessions.get(sessionId)?.cancel();
  }

  /** Resolves when every turn has told how it ended. */
  async close(): Promise<void> {
    const open = [...(this.#agreed?.connection.openSessions.values() ?? [])];
    await Promise.all(open.map((session) => session.close()));
  }

  #initialize(params: JsonObject): Reply {
    if (this.#inUse) throw rpcErrors.invalidRequest('The version is agreed on already');
    const { peer, store, crash } = this.#options;
    const dialect = negotiate(params['protocolVersion'], this.#options.dialect);
    const encoder = dialect.encoder(params);
    this.#agreed = { dialect, connection: { peer, store, crash, encoder, openSessions: new Map() } };
    return { result: { protocolVersion: dialect.protocolVersion, ...dialect.description } };
  }
}
