import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { agentCommand, initializeParams, replayRequest } from './agent-command.mjs';

const packages = { 1: '@agentclientprotocol/sdk', 2: '@agentclientprotocol/sdk/experimental/v2' };

/** The official SDK with an empty handler for updates: it reads, checks and hands over, and nothing is folded. */
export async function connectOfficial({ version, histories, updates }) {
  const sdk = await import(packages[version]);
  const { command, args } = agentCommand(version, histories);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let seen = 0;
  let allSeen;
  let ids = new Set();
  let onEntries;
  const connection = sdk
    .client()
    .onNotification('session/update', ({ params }) => {
      // Each id is an entry of a transcript, which the SDK does not make.
      if (onEntries) {
        const { update } = params;
        ids.add(update.messageId ?? update.toolCallId);
        onEntries(ids.size);
      }
      if (++seen === updates) allSeen();
    })
    .connect(sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
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
    ping: () => connection.agent.request('_bench/ping', {}),
    async close() {
      connection.close();
      child.stdin.end();
      await exited;
    },
  };
}
