import { fileURLToPath } from 'node:url';
import { connect } from '../../src/agents/connect.ts';
import { spawnAgent } from '../../src/agents/spawn-agent.ts';
import type { Diagnostic, DiagnosticRule } from '../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';

const program = fileURLToPath(new URL('programs/agent.mjs', import.meta.url));

interface Received {
  readonly method: string;
  readonly params: JsonObject;
}

export interface Official {
  readonly connection: ClientConnection;
  readonly diagnostics: Diagnostic[];
  /** What the SDK handed to its handlers since this was asked for last: the method, and what it made of the parameters. */
  seen(): Promise<readonly Received[]>;
  /** All that {@link seen} has returned. */
  readonly received: readonly Received[];
  /** What the agent wrote to stderr: the SDK complains there. */
  complaints(): string;
}

const expected: ReadonlySet<string> = new Set<DiagnosticRule>([
  // The program has nothing to say about some prompts.
  'session.empty_turn',
]);

/** Runs an agent of the official SDK as a program, and connects to it. */
export async function connectToOfficial(
  args: readonly string[],
  options: Partial<ConnectOptions> = {},
): Promise<Official> {
  const diagnostics: Diagnostic[] = [];
  let complaints = '';
  const agent = spawnAgent({
    command: process.execPath,
    args: [program, ...args],
    onStderr: (text) => {
      complaints += text;
    },
  });
  const connection = await connect(agent, {
    clientInfo: { name: 'my-editor', version: '1.0.0' },
    onDiagnostic: (diagnostic) => {
      if (!expected.has(diagnostic.rule)) diagnostics.push(diagnostic);
    },
    ...options,
  });
  const received: Received[] = [];
  return {
    connection,
    diagnostics,
    received,
    complaints: () => complaints,
    async seen() {
      // The program answers with the list that it kept.
      const all = (await connection.request('_agent/seen', {})) as Received[];
      const fresh = all.slice(received.length);
      received.push(...fresh);
      return fresh;
    },
  };
}

/** What of `sent` did not arrive as it was sent. */
export function differences(sent: unknown, arrived: unknown, path = ''): readonly string[] {
  if (Object.is(sent, arrived)) return [];
  if (typeof sent !== 'object' || typeof arrived !== 'object' || sent === null || arrived === null) {
    return [`${path || 'the whole'}: ${JSON.stringify(sent)} arrived as ${JSON.stringify(arrived)}`];
  }
  const keys = new Set([...Object.keys(sent), ...Object.keys(arrived)]);
  return [...keys].flatMap((key) =>
    differences(Reflect.get(sent, key), Reflect.get(arrived, key), path === '' ? key : `${path}.${key}`),
  );
}
