import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { agentCommand, cwd, initializeParams, replayRequest } from './agent-command.mjs';
import { fetchOver, socketTrusting, webSocketUrl } from './remote-ways.mjs';

const packages = { 1: '@agentclientprotocol/sdk', 2: '@agentclientprotocol/sdk/experimental/v2' };

/** The official SDK with an empty handler for updates: it reads, checks and hands over, and nothing is folded. */
export async function connectOfficial({ version, histories, updates, remote }) {
  const sdk = await import(packages[version]);
  const channel = await (remote ? channels[remote.way](remote) : spawnChild(sdk, version, histories));
  let seen = 0;
  let allSeen;
  let ids = new Set();
  let onEntries;
  const texts = new Map();
  const connection = sdk
    .client()
    .onNotification('session/update', ({ params }) => {
      // Each id is an entry of a transcript, which the SDK does not make.
      if (onEntries) {
        const { update } = params;
        ids.add(update.messageId ?? update.toolCallId);
        onEntries(ids.size);
      }
      texts.get(params.sessionId)?.push(params.update.content.text);
      if (++seen === updates) allSeen();
    })
    .connect(channel.stream);
  await connection.agent.request('initialize', initializeParams[version]);
  return {
    async replay(sessionId, options = {}) {
      seen = 0;
      ids = new Set();
      onEntries = options.onEntries;
      // Its response may overtake the updates that came before it, so both are waited for.
      const handled = new Promise((resolve) => {
        allSeen = resolve;
      });
      const { method, params } = replayRequest[version](sessionId);
      await Promise.all([connection.agent.request(method, params), handled]);
      return { updates: seen };
    },
    /** A new session. Its text is kept here: nothing is folded. */
    async open() {
      const { sessionId } = await connection.agent.request('session/new', { cwd, mcpServers: [] });
      texts.set(sessionId, []);
      return {
        sessionId,
        /** `text` is the number of chunks. The response may overtake them. */
        async prompt(text) {
          const prompt = [{ type: 'text', text }];
          await connection.agent.request('session/prompt', { sessionId, prompt });
          while (texts.get(sessionId).length < Number(text)) await new Promise(setImmediate);
        },
        text: () => texts.get(sessionId).join(''),
      };
    },
    ping: () => connection.agent.request('_bench/ping', {}),
    async close() {
      connection.close();
      await channel.end();
    },
  };
}

function spawnChild(sdk, version, histories) {
  const { command, args } = agentCommand(version, histories);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    stream: sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
    end() {
      child.stdin.end();
      return exited;
    },
  };
}

/** The SDK's clients of remote agents. */
const channels = {
  async websocket({ url, ca }) {
    const { createWebSocketStream } = await import('@agentclientprotocol/sdk/experimental/ws-client');
    const stream = createWebSocketStream(webSocketUrl(url), { WebSocket: socketTrusting(ca) });
    return { stream, async end() {} };
  },
  http1: overHttp,
  http2: overHttp,
};

async function overHttp(remote) {
  const { createHttpStream } = await import('@agentclientprotocol/sdk/experimental/http-client');
  return { stream: createHttpStream(remote.url, { fetch: fetchOver(remote) }), async end() {} };
}
