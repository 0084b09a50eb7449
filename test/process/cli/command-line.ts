import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { runCommandLine } from '../../../src/programs/cli/main.ts';
import { importConversation } from '../../../src/records/saved/import.ts';
import { buildPackage } from '../../support/build.ts';
import { entry } from '../../support/registry-server.ts';
import { spawn } from '../../support/spawn.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isAlive } from '../node/processes.ts';

/** Exit code and output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout or stderr contains `text`. */
  shows(text: string): Promise<void>;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly keepInputOpen?: boolean;
}

/** Starts `acp-client` with these arguments. */
export async function startCommand(args: readonly string[], options: RunOptions = {}): Promise<Running> {
  const program = join(await buildPackage(), 'cli.js');
  const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
  });
  if (!options.keepInputOpen) child.stdin.end(options.input ?? '');
  const printed = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const watch of watchers) watch();
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...printed }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const shows = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (!printed.stdout.includes(text) && !printed.stderr.includes(text)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
      void ended.then((result) =>
        reject(new Error(`It ended without showing ${text}: ${JSON.stringify(result)}`)),
      );
    });
  return { process: child, ended, shows };
}

/** Runs `acp-client` with these arguments to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return (await startCommand(args, options)).ended;
}

/**
 * Runs a command with `--timeout`, and again with twice the time until `isDue` accepts how it ended. The time for
 * `initialize` includes the start of the agent, which takes longer on a busy machine.
 */
export async function runWithTimeout(
  args: readonly string[],
  agent: readonly string[],
  isDue: (ended: Ended) => boolean,
): Promise<Ended & { readonly timeoutMs: number }> {
  for (let timeoutMs = 300; ; timeoutMs *= 2) {
    const ended = await runHere([...args, '--timeout', `${timeoutMs}`, ...agent]);
    if (isDue(ended)) return { ...ended, timeoutMs };
  }
}

/**
 * Runs `acp-client` with these arguments in this process, with pipes, to its end. Saves the start of a program, where a
 * test is not about the process.
 */
export function runHere(
  args: readonly string[],
  { input = '', cwd = process.cwd(), env = {} }: Omit<RunOptions, 'keepInputOpen'> = {},
): Promise<Ended> {
  // The command line uses the streams and the events of its process.
  const host = Object.create(process) as NodeJS.Process;
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = Object.assign(new PassThrough(), { isTTY: false });
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
    Object.defineProperty(host, name, { value: stream });
  }
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  Object.defineProperty(host, 'stdin', { value: stdin });
  Object.defineProperty(host, 'argv', { value: ['node', 'acp-client', ...args] });
  Object.defineProperty(host, 'env', { value: { NO_COLOR: '1', ...env } });
  Object.defineProperty(host, 'cwd', { value: () => cwd });
  stdin.end(input);
  return runCommandLine(host).then((code) => ({ code, ...printed }));
}

/** The words that run the small agent of these tests in one of its ways. */
export function smallAgent(how: string): readonly string[] {
  return ['--', process.execPath, fileURLToPath(new URL('agent.mjs', import.meta.url)), how];
}

const platforms = ['linux-x86_64', 'linux-aarch64', 'darwin-aarch64', 'darwin-x86_64'];

/** An agent of a registry whose program is in an archive. */
export function archivedAgent(id: string, cmd: string, name = id.toUpperCase()) {
  const target = { archive: `https://example.com/${id}.tgz`, cmd };
  const binary = Object.fromEntries(platforms.map((platform) => [platform, target]));
  return entry(id, { name, distribution: { binary } });
}

/** A PATH with programs, each of which runs the small agent in one of its ways. */
export function pathWith(programs: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const log = join(folder, 'runs');
  for (const [name, how] of Object.entries(programs)) {
    const words = smallAgent(how)
      .slice(1)
      .map((word) => JSON.stringify(word));
    const script = `#!/bin/sh\necho "${name} $*" >> ${JSON.stringify(log)}\nexec ${words.join(' ')}\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  return {
    PATH: `${folder}:/usr/bin:/bin`,
    /** The names of the programs that ran, with their arguments. */
    runs: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}

/** Arguments that run the demo agent in a dialect, with new sessions in a folder. */
export async function demoAgent(dialect: string, sessionsFolder: string): Promise<readonly string[]> {
  const program = join(await buildPackage(), 'demo-agent.js');
  return ['--', process.execPath, program, '--dialect', dialect, '--state', sessionsFolder];
}

/** Until the end of the test, `agent.mjs` records its processes in a file. Returns the ids of those that still run. */
export function watchProcesses(): { readonly file: string; alive(): readonly number[] } {
  const file = join(temporaryFolder(), 'pids');
  vi.stubEnv('PIDS', file);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    file,
    alive: () =>
      (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []).filter(isAlive),
  };
}

/** The conversation that a command printed as JSON. */
export function printedConversation(stdout: string): Conversation {
  return importConversation(JSON.parse(stdout));
}

/** One line for each entry of a conversation. */
export function outlineOf({ entries }: Conversation): readonly string[] {
  return entries.map((entry) => {
    if (entry.kind === 'toolCall') return `tool ${entry.status}: ${entry.title}`;
    if (entry.kind === 'compaction') return `compaction ${entry.status}`;
    if (entry.kind === 'unknown') return `unknown ${entry.tag}`;
    if (entry.kind === 'turnFailure') return `turn ${entry.cause}: ${entry.reason}`;
    if (entry.kind === 'sessionMessage') return `session message: ${textOf(entry)}`;
    const text = entry.content
      .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
      .join('');
    return `${entry.role} ${entry.origin}: ${text}`;
  });
}
