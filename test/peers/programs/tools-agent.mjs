// An agent on the official SDK that does what prompts say with the tools of its first MCP server: `v1` or `v2`. A prompt
// is JSON: `{ do: 'list' }`, `{ do: 'call', name, input, cancelAtProgress }`, `{ do: 'watch' }` or `{ do: 'changes' }`.
import { Readable, Writable } from 'node:stream';
import * as v2 from '@agentclientprotocol/sdk/experimental/v2/unstable';
import * as v1 from '@agentclientprotocol/sdk/unstable';
import { toolCaller } from './tool-caller.mjs';

const version = process.argv[2];
const acp = { v1, v2 }[version];
const { methods } = acp;
const caller = new acp.McpOverAcpCaller({ clientInfo: { name: 'tools-agent', version: '1.0.0' } });
const sessions = new Map();

const initialized = {
  v1: {
    protocolVersion: 1,
    agentCapabilities: { mcpCapabilities: { acp: true }, sessionCapabilities: { close: {} } },
  },
  v2: {
    protocolVersion: 2,
    info: { name: 'tools-agent', version: '1.0.0' },
    capabilities: { session: { mcp: { acp: {} } } },
  },
}[version];

const deeds = {
  list: async ({ tools }) => (await tools.list()).map(({ name }) => name),
  async call({ tools }, { name, input, cancelAtProgress }) {
    const control = new AbortController();
    const progress = [];
    const onProgress = (params) => {
      progress.push(params);
      if (cancelAtProgress) control.abort();
    };
    try {
      return { progress, result: await tools.call(name, input, { signal: control.signal, onProgress }) };
    } catch (error) {
      return { progress, error: error.message };
    }
  },
  async watch(session) {
    session.changes = 0;
    await session.tools.watch(() => {
      session.changes++;
    });
    return 'watching';
  },
  changes: async ({ changes }) => changes,
};

async function carryOut(session, prompt, client) {
  session.tools ??= toolCaller(session.server, { caller, client });
  const order = JSON.parse(prompt.map(({ text }) => text).join(''));
  return JSON.stringify(await deeds[order.do](session, order));
}

const app = acp
  .agent({ name: 'tools-agent' })
  .onNotification(methods.agent.mcp.message, caller.handleNotification)
  .onRequest(methods.agent.initialize, () => initialized)
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = `s${sessions.size + 1}`;
    sessions.set(sessionId, { server: params.mcpServers[0] });
    return { sessionId };
  })
  .onRequest(methods.agent.session.close, async ({ params }) => {
    await sessions.get(params.sessionId).tools?.close();
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const session = sessions.get(sessionId);
    const update = (fields) => client.notify(methods.client.session.update, { sessionId, update: fields });
    const words = (text) =>
      update({ sessionUpdate: 'agent_message_chunk', ...id('a'), content: { type: 'text', text } });
    const id = (kind) => (version === 'v2' ? { messageId: `${kind}-${crypto.randomUUID()}` } : {});
    const run = async () => {
      await words(
        await carryOut(session, prompt, client).catch((error) => JSON.stringify({ failed: error.message })),
      );
      return 'end_turn';
    };
    if (version === 'v1') return { stopReason: await run() };
    const message = id('u');
    await update({ sessionUpdate: 'user_message', ...message, content: prompt });
    await update({ sessionUpdate: 'state_update', state: 'running' });
    run().then((stopReason) => update({ sessionUpdate: 'state_update', state: 'idle', stopReason }));
    return message;
  });
app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
