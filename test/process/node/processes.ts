import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import type { SpawnedAgent } from '../../../src/node/process/agent-process.ts';
import type { SpawnAgentOptions } from '../../../src/node/process/spawn.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const isWindows = process.platform === 'win32';

/** How a program exits that was killed. Windows has no signals. */
export const killed = isWindows ? { exitCode: 1, signal: null } : { exitCode: null, signal: 'SIGKILL' };

/** The path of one of the files in `programs/`. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

/** What runs a file of `programs/`, or one of the small agents of `programs/agents.mjs`. */
export function programArgs(name: string, ...args: readonly string[]): string[] {
  const program = name.endsWith('.mjs') ? [programPath(name)] : [programPath('agents.mjs'), name];
  return [...program, ...args];
}

/** What a shell can do instead of a small agent: it starts in a moment. */
const scripts: Readonly<Record<string, string>> = isWindows
  ? {}
  : {
      echo: `echo '{"pid":'$$'}'; exec cat`,
      polite: `trap 'exit 0' TERM; echo '{"pid":'$$'}'; while :; do sleep 1000 & wait; done`,
      // What a shell ignores, its commands ignore too.
      stubborn: `trap '' TERM HUP; echo '{"pid":'$$'}'; exec sleep 1000`,
      parent: `trap '' TERM HUP; sleep 1000 & echo '{"pid":'$$',"children":['$!']}'; while :; do wait; done`,
      exit: `printf %s "$2"; printf %s "$3" >&2
        case "$1" in SIG*) kill -s "\${1#SIG}" $$;; *) exit "$1";; esac`,
    };

/** The command that runs one of the small agents. */
export function programCommand(name: string, ...args: readonly string[]) {
  const script = scripts[name];
  return script === undefined
    ? { command: process.execPath, args: programArgs(name, ...args) }
    : { command: '/bin/sh', args: ['-c', script, name, ...args] };
}

/** The first message of the small agents. */
export interface Hello {
  readonly pid: number;
  readonly children?: readonly number[];
}

export interface StartedAgent {
  readonly agent: SpawnedAgent;
  /** Everything that came so far. */
  readonly messages: unknown[];
  readonly diagnostics: Diagnostic[];
  /** Resolves with the first message. */
  readonly hello: Promise<Hello & Record<string, unknown>>;
}

const started: SpawnedAgent[] = [];
const pids = new Set<number>();

/** Starts one of the small agents and collects its messages. */
export function startAgent(
  name: string,
  args: readonly string[] = [],
  options: Partial<SpawnAgentOptions> = {},
): StartedAgent {
  const agent = spawnAgent({ ...programCommand(name, ...args), ...options });
  started.push(agent);
  if (agent.pid !== undefined) pids.add(agent.pid);
  const messages: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  const hello = new Promise<Hello & Record<string, unknown>>((resolve) => {
    listenTo(
      agent,
      (message) => {
        messages.push(message);
        // The first line of each small agent has this type.
        const first = message as Hello & Record<string, unknown>;
        if (first.pid === agent.pid) for (const pid of first.children ?? []) pids.add(pid);
        resolve(first);
      },
      (diagnostic) => diagnostics.push(diagnostic),
    );
  });
  return { agent, messages, diagnostics, hello };
}

/** Listens to an agent, and ignores what is not given. */
export function listenTo(
  agent: SpawnedAgent,
  onMessage: (message: unknown) => void = () => {},
  onDiagnostic: (diagnostic: Diagnostic) => void = () => {},
): void {
  agent.listen({ onMessage, onDiagnostic, onActivity() {} });
}

/** Closes all agents of a test, and returns the processes that still ran after that. */
export async function survivors(): Promise<number[]> {
  await Promise.all(started.splice(0).map((agent) => agent.close()));
  return stillRunning(pids);
}

/** Removes the processes from the set, ends those that still run, and returns their ids. */
export async function stillRunning(processes: Set<number>): Promise<number[]> {
  // Wine shows a process for a moment after it has exited.
  for (let rounds = 0; isWindows && rounds < 100 && [...processes].some(isAlive); rounds++) await sleep(20);
  const left = [...processes].filter((pid) => isAlive(pid) && kill(pid));
  processes.clear();
  return left;
}

/** Ends a process. Returns whether it still ran: on a busy machine, Wine shows a process for seconds after its exit. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    // The process does not exist, or the system has no /proc.
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resolves when `condition` holds. The time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

/** The error for the agent that `call` rejects with. */
export async function answerOf(call: Promise<unknown>): Promise<RequestError> {
  const error = await call.then(
    (value) => {
      throw new Error(`answered ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RequestError);
  return error as RequestError;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** What the program `environment.mjs` prints. */
export interface PrintedEnvironment {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: Variables;
  /** The variables of a program that it starts. */
  readonly started: Variables;
  readonly inThread: Variables;
}

export const environmentProgram = programPath('environment.mjs');

/** Starts a program, and resolves to the first message that it prints. Rejects if the program ends before. */
export async function firstMessage<T = PrintedEnvironment>(options: SpawnAgentOptions): Promise<T> {
  const agent = spawnAgent(options);
  const first = new Promise<unknown>((resolve, reject) => {
    listenTo(agent, resolve);
    void agent.ended.then(({ error }) => reject(error));
  });
  try {
    // The caller knows what the program prints.
    return (await first) as T;
  } finally {
    await agent.close();
  }
}

/** The names of the variables that belong to Electron. */
export function electronVariables(variables: Variables): readonly string[] {
  return Object.keys(variables).filter((name) => name.toUpperCase().startsWith('ELECTRON_'));
}

/** The argument of `answering.mjs`. */
export interface Told {
  readonly initialize: JsonObject;
  readonly answers?: Readonly<Record<string, JsonObject | 'none'>>;
  readonly pushed?: readonly object[];
}

export interface Probed {
  readonly command: SpawnAgentOptions;
  /** The methods that the agent received, from all of its starts. */
  received(): readonly string[];
}

/** A command whose processes must have ended when the test is over. Times to end are short. */
function watched(program: string, argument: string): Probed {
  const folder = temporaryFolder();
  const [pids, log] = [join(folder, 'pids'), join(folder, 'log')];
  const linesOf = (file: string) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  onTestFinished(async () => {
    const started = linesOf(pids).map(Number);
    const left = await stillRunning(new Set(started));
    expect({ started: started.length > 0, left }).toEqual({ started: true, left: [] });
  });
  const command = {
    command: process.execPath,
    args: [programPath(program), argument],
    env: { PIDS: pids, LOG: log },
    shutdown: { graceMs: 300, killAfterMs: 300 },
  };
  return { command, received: () => linesOf(log) };
}

/** An agent whose answers are given. */
export const answeringAgent = (told: Told): Probed => watched('answering.mjs', JSON.stringify(told));

/** A program that misbehaves in one way. */
export const hostileProgram = (way: string): SpawnAgentOptions => watched('hostile.mjs', way).command;
