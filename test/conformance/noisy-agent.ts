import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { connect } from '../../src/client/connect.ts';
import { spawnAgent } from '../../src/node/spawn.ts';

const program = fileURLToPath(new URL('programs/noisy-agent.mjs', import.meta.url));

/** Connects to a program that keeps every byte it is sent, and writes what it should not. */
export async function connectToNoisyAgent(version: 1 | 2) {
  const diagnostics: Diagnostic[] = [];
  let stderr = '';
  const agent = spawnAgent({
    command: process.execPath,
    args: [program, String(version)],
    onStderr: (text) => {
      stderr += text;
    },
  });
  const connection = await connect(agent, {
    clientInfo: { name: 'my-editor', version: '1.0.0' },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  onTestFinished(() => connection.close());
  return {
    connection,
    diagnostics,
    stderr: () => stderr,
    /** Every byte that was written to the program, as text. */
    async input(): Promise<string> {
      const { base64 } = (await connection.request('_test/input')) as { base64: string };
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
    },
  };
}
