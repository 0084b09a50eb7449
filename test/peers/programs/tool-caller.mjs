// How an agent on the official packages calls the tools of an MCP server that it was given.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/**
 * Connects to a server as it was described in the call that opens a session.
 *
 * @param over - `{ caller, client }` for a server of the type `acp`: the `McpOverAcpCaller` of the official SDK, and the
 *   connection.
 * @returns `{ list(), call(name, input, { signal, onProgress }), watch(onChange), close() }`. `call` resolves to the result
 *   of MCP, and rejects with an error of MCP; `watch` tells of changes of the list of tools.
 */
export async function toolCaller(server, over) {
  return server.type === 'acp' ? overAcp(server, over) : overMcp(server);
}

function overAcp({ serverId }, { caller, client }) {
  const watching = new AbortController();
  const request = async (method, params, options) => {
    const { result, error } = await caller.request(client, serverId, method, params, options);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  };
  return {
    list: async () => (await request('tools/list', {})).tools,
    call: (name, input, { signal, onProgress }) =>
      request(
        'tools/call',
        { name, arguments: input, _meta: { progressToken: 'progress' } },
        {
          signal,
          onNotification: ({ method, params }) => {
            if (method === 'notifications/progress') onProgress(params);
          },
        },
      ),
    /** Resolves when the server has acknowledged that it will tell. */
    watch: (onChange) =>
      new Promise((resolve, reject) => {
        const notified = ({ method }) => {
          if (method === 'notifications/subscriptions/acknowledged') resolve();
          if (method === 'notifications/tools/list_changed') onChange();
        };
        const params = { notifications: { toolsListChanged: true } };
        const options = { signal: watching.signal, onNotification: notified };
        // It is answered at the end of the server.
        request('subscriptions/listen', params, options).catch(reject);
      }),
    async close() {
      watching.abort();
    },
  };
}

async function overMcp(server) {
  let changed = () => {};
  const client = new Client(
    { name: 'tool-caller', version: '1.0.0' },
    { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } } },
  );
  await client.connect(transportOf(server));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, input, { signal, onProgress }) =>
      client.callTool({ name, arguments: input }, { signal, onprogress: onProgress }),
    async watch(onChange) {
      changed = onChange;
    },
    close: () => client.close(),
  };
}

function transportOf({ type, url, headers, command, args, env }) {
  const record = (list) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if (type === 'http') {
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: record(headers) } });
  }
  return new StdioClientTransport({ command, args, env: record(env) });
}
