import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import { spawnAgent } from '../../src/agents/spawn-agent.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import { updateMessage } from '../../src/records/testing/scripted-agent.ts';
import { flush, messages, openSession, outline } from '../support/open-session.ts';
import { says } from '../support/updates.ts';

const program = fileURLToPath(new URL('programs/noisy-agent.mjs', import.meta.url));

/** Connects to a program that keeps every byte it is sent, and writes what it should not. */
async function connectToNoisyAgent(version: 1 | 2) {
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

const said = 'Line one\nline two\r\n\u2028\u00e9\ud83d\ude80 \u0000';

const versions = [
  { version: 1, dialect: 'v1' },
  { version: 2, dialect: 'v2-baseline' },
] as const;

describe.each(versions)('$dialect', ({ version, dialect }) => {
  test('[66,67] v1, v2 the client writes one JSON object per line, in UTF-8, and nothing else', async () => {
    const { connection, input } = await connectToNoisyAgent(version);
    const session = await connection.newSession({ cwd: '/' });
    await Promise.all([session.prompt(said), connection.notify('_vendor/note', { said })]);
    const written = await input();
    expect(written.endsWith('\n')).toBe(true);
    const lines = written.slice(0, -1).split('\n');
    const sent = lines.map((line) => JSON.parse(line));
    expect(sent.map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      '_vendor/note',
      '_test/input',
    ]);
    // No array of messages, and no carriage return either.
    expect(sent.every((message) => !Array.isArray(message) && message.jsonrpc === '2.0')).toBe(true);
    expect(written).not.toMatch(/\r/);
    expect(sent[2].params.prompt).toEqual([{ type: 'text', text: said }]);
  });

  test('[66] [agents: separators-in-text] v1, v2 lines that are not messages are reported and skipped', async () => {
    const { connection, diagnostics, stderr } = await connectToNoisyAgent(version);
    const session = await connection.newSession({ cwd: '/' });
    const { stopReason } = await session.prompt('Go');
    expect(stopReason).toBe('end_turn');
    const text = 'two\u2028lines\n\u00e9\ud83d\ude80';
    expect(messages(session.conversation).at(-1)?.content).toEqual([{ type: 'text', text }]);
    const noise = diagnostics.filter(({ rule }) => rule === 'transport.noise');
    expect(noise.map(({ received }) => received)).toEqual(['Loading model: 100%', '{"half": ', '42']);
    expect(diagnostics.map(({ rule }) => rule).filter((rule) => rule !== 'transport.noise')).toEqual([]);
    await connection.close();
    expect(stderr()).toBe('thinking \u2026\nand more\n');
  });

  test('an array of messages is split, with a diagnostic', async () => {
    const { agent, conversation, diagnostics } = await openSession(dialect);
    const chunk = (said: string) => updateMessage('s1', says(said, 'm1'));
    agent.channel.send([chunk('a'), chunk('b')], chunk('c'));
    await flush(agent);
    expect(outline(conversation())).toEqual(['agent: abc']);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['rpc.batch']);
  });
});
