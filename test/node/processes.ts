import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Message } from '#jsonrpc';
import type { AgentProcess } from '../../src/node/agent-process.ts';
import { type SpawnAgentOptions, spawnAgent } from '../../src/node/spawn.ts';

/** The path of one of the small agents in `programs/`. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

/** What the small agents say of themselves. */
export interface Hello {
  readonly pid: number;
  readonly children?: readonly number[];
}

export interface StartedAgent {
  readonly agent: AgentProcess;
  /** Everything that came so far. */
  readonly messages: Message[];
  /** Resolves with the first message. */
  readonly hello: Promise<Hello & Record<string, unknown>>;
}

const started: AgentProcess[] = [];
const pids = new Set<number>();

/** Starts one of the small agents and listens to it. */
export function startAgent(
  name: string,
  args: readonly string[] = [],
  options: Partial<SpawnAgentOptions> = {},
): StartedAgent {
  const agent = spawnAgent({ command: process.execPath, args: [programPath(name), ...args], ...options });
  started.push(agent);
  if (agent.pid !== undefined) pids.add(agent.pid);
  const messages: Message[] = [];
  const hello = new Promise<Hello & Record<string, unknown>>((resolve) => {
    agent.reader.listen((message) => {
      messages.push(message);
      // The small agents send what their first lines say, which is no JSON-RPC.
      const said = message as unknown as Hello & Record<string, unknown>;
      if (said.pid === agent.pid) for (const pid of said.children ?? []) pids.add(pid);
      resolve(said);
    });
  });
  return { agent, messages, hello };
}

/** Ends what a test left running, and returns what was still alive once each agent had been reported as reaped. */
export async function survivors(): Promise<number[]> {
  await Promise.all(started.splice(0).map((agent) => agent.close()));
  const left = [...pids].filter(isAlive);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  pids.clear();
  return left;
}

/** Whether a process runs. One that has ended and waits to be reaped by whoever started it does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    // No such process, or a system without /proc.
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resolves when `condition` holds; the test's own time limit ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
