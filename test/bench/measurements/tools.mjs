import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { connect } from '../../../dist/index.js';
import { spawnAgent } from '../../../dist/node.js';
import { toolServer } from '../../../dist/tools.js';
import { echoInput } from '../programs/echo-input.mjs';

const program = (name) => fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
const calls = 200;

/** The server of a session: tools of the editor over one way, or a program of its own. */
function serverOf(way) {
  if (way === 'separate') {
    return { name: 'bench', command: process.execPath, args: [program('tool-server.mjs')], env: [] };
  }
  const echo = { description: 'Returns the text.', input: echoInput, run: ({ text }) => text };
  return toolServer({ name: 'bench', tools: { echo }, transports: [way] });
}

/** From `newSession` to the first list of tools that the agent gets, twice, and the calls of the second session. */
export async function measure({ way }) {
  const agent = spawnAgent({ command: process.execPath, args: [program('tool-agent.mjs')] });
  const connection = await connect(agent, {
    clientInfo: { name: 'bench', version: '1.0.0' },
    onDiagnostic() {},
  });
  const server = serverOf(way);
  const open = async () => {
    const start = performance.now();
    // The agent answers when it has the list.
    await connection.newSession({ cwd: process.cwd(), mcpServers: [server] });
    return performance.now() - start;
  };
  const firstListMs = await open();
  const nextListMs = await open();
  const { ms } = await connection.request('_bench/call', { times: calls });
  await connection.close();
  assert.equal(ms.length, calls);
  ms.sort((a, b) => a - b);
  return { firstListMs, nextListMs, callMs: ms[calls / 2] };
}
