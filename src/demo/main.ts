import type { Readable, Writable } from 'node:stream';
import { DemoAgent } from './agent.ts';
import { helpText, parseArguments } from './arguments.ts';
import type { DialectName } from './dialect.ts';
import { Peer } from './peer.ts';
import { SessionStore } from './sessions.ts';
import { examples } from './story.ts';
import { MessageWriter, readLines } from './wire.ts';

/** What the agent needs of its process. */
export interface AgentProcess {
  readonly argv: readonly string[];
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  exit(code: number): never;
}

/** How long a client that has closed stdin may take to read the rest of stdout. */
const unreadOutputMs = 1000;

/**
 * Serves one client until its stdin ends, and resolves to the exit code.
 *
 * 0: the client left; 1: something failed, and stderr says what; 2: wrong usage.
 */
export async function runDemoAgent(host: AgentProcess): Promise<number> {
  const parsed = parseArguments(host.argv.slice(2));
  if (parsed.command === 'none') {
    host.stderr.write(`${parsed.problem}\nTry --help.\n`);
    return 2;
  }
  if (parsed.command === 'help') {
    host.stdout.write(helpText());
    return 0;
  }
  try {
    const store = new SessionStore(parsed.sessionsFolder);
    store.seed(examples);
    await serve(host, store, parsed.dialect);
    return 0;
  } catch (error) {
    host.stderr.write(`The demo agent failed: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

async function serve(
  host: AgentProcess,
  store: SessionStore,
  dialect: DialectName | undefined,
): Promise<void> {
  const writer = new MessageWriter(host.stdout);
  const peer = new Peer(writer);
  const agent = new DemoAgent({ peer, store, dialect, crash });
  for await (const line of readLines(host.stdin)) peer.receive(line, agent);
  // A client that left may have left unread what it was sent: then the program would never come to its end.
  setTimeout(() => host.exit(0), unreadOutputMs).unref();
  await agent.close();
  await writer.settled();

  async function crash(): Promise<void> {
    await writer.breakOff('{"jsonrpc":"2.0","method":"session/upd');
    host.stderr.write('demo agent: the prompt has the word "crash" in it\n', () => host.exit(1));
  }
}
