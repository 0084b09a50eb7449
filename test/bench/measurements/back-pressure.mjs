import { spawn } from 'node:child_process';
import { connect, ndjsonTransport } from '../../../dist/index.js';
import { agentCommand, clientInfo, cwd } from '../clients/agent-command.mjs';

/** How much piles up in a client that is slower than its agent: the bytes read and not yet handled, and its memory. */
export async function measure({ corpus }) {
  const { version, sessionId, path } = corpus;
  const { command, args } = agentCommand(version, { [sessionId]: path });
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let received = 0;
  let handled = 0;
  let mostQueued = 0;
  child.stdout.on('data', (chunk) => {
    received += chunk.length;
    mostQueued = Math.max(mostQueued, received - handled);
  });
  const connection = await connect(ndjsonTransport(child.stdout, child.stdin), {
    clientInfo,
    protocolVersions: [version],
    // Written again and counted, a message has its length on the wire; and the client is slower by that much.
    trace: {
      write({ dir, msg }) {
        if (dir === 'in') handled += Buffer.byteLength(JSON.stringify(msg)) + 1;
      },
      redact: (message) => message,
      maxTextLength: Number.POSITIVE_INFINITY,
    },
  });
  globalThis.gc();
  const before = process.memoryUsage().rss;
  await connection.loadSession({ sessionId, cwd });
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  await connection.close();
  await exited;
  return { received, mostQueued, grownBytes: peakBytes - before };
}
