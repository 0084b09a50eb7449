import type { McpServer, McpServerFactory, Server } from '@modelcontextprotocol/server';

/** The MCP servers of the connections that are open now. */
export class LiveServers {
  readonly #servers = new Set<McpServer | Server>();

  /** Makes servers, each of which is forgotten when its connection ends. */
  from(create: McpServerFactory): McpServerFactory {
    return async (context) => {
      const server = await create(context);
      this.#servers.add(server);
      const inner = 'server' in server ? server.server : server;
      const { onclose } = inner;
      // The packages of MCP report the end of a connection in this field.
      inner.onclose = () => {
        this.#servers.delete(server);
        onclose?.();
      };
      return server;
    };
  }

  /** Tells each connected client that the list of tools is another one. */
  toolsChanged(): void {
    for (const server of this.#servers) {
      // It fails for a server that is not connected yet. The agent has no list from it that could be old.
      Promise.resolve(server.sendToolListChanged()).catch(() => {});
    }
  }
}
