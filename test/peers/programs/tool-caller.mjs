// How an agent on the official SDK calls the tools of an MCP server of the type `acp`.

/**
 * @param caller - The `McpOverAcpCaller` of the official SDK.
 * @returns `{ list(), call(name, input, { signal, onProgress }), watch(onChange), close() }`. `call` resolves to the result
 *   of MCP, and rejects with an error of MCP; `watch` tells of changes of the list of tools.
 */
export function toolCaller({ serverId }, { caller, client }) {
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
