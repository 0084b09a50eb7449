import type { ChildProcess } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import spawn from 'cross-spawn';
import { settlesWithin } from '../wait.ts';
import { createDrain, type Drain, quietMs } from './drain.ts';
import { liveProcesses } from './live-processes.ts';
import { groups } from './process-group.ts';

/** What is started, and how. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a program ended. */
export interface ExitStatus {
  /** `null` where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What became of a start: an exit, or a start that failed. */
export type Outcome = { readonly status: ExitStatus } | { readonly failure: NodeJS.ErrnoException };

export interface TreeOptions {
  readonly launch: Launch;
  readonly stdin: 'pipe' | 'ignore';
  /** Whether the command is a line for the system's shell. */
  readonly shell: boolean;
  /** How long what was asked to end may take before it is forced to. */
  readonly killAfterMs: number;
}

/** How long what was killed is given to disappear, before a process that cannot be killed is left alone. */
const disappearMs = 1000;

/**
 * A program and everything it starts: the program leads a process group of its own, and what it leaves behind ends
 * with it. A descendant that moves to a group of its own, as a daemon does, is out of reach.
 *
 * Until it is reaped the tree is on the list of what must not outlive this process.
 */
export class ProcessTree {
  /** Absent when the start failed. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The program itself has ended, or was never started. Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** The program and everything it left behind have ended. Never rejects. */
  readonly reaped: Promise<void>;
  readonly #drains: readonly [stdout: Drain, stderr: Drain];
  readonly #killAfterMs: number;
  #killed = false;
  #stopping: Promise<void> | undefined;

  constructor(options: TreeOptions) {
    const started = start(options);
    const child = 'child' in started ? started.child : undefined;
    this.pid = child?.pid;
    this.stdin = child?.stdin ?? endedStream();
    // Node makes no streams when it is out of file descriptors.
    this.stdout = child?.stdout ?? endedStream();
    this.stderr = child?.stderr ?? endedStream();
    this.stdin.on('error', () => {}); // A program that no longer reads is seen by its end.
    this.#drains = [createDrain(this.stdout), createDrain(this.stderr)];
    this.#killAfterMs = options.killAfterMs;
    this.outcome = 'child' in started ? outcomeOf(started.child) : Promise.resolve(started);
    this.reaped = this.#reap();
  }

  /**
   * Reads both outputs to their end, once the program has ended.
   * @param isHeld whether stdout has something that its reader does not take yet, and will
   */
  async drained(isHeld: () => boolean = () => false): Promise<void> {
    const [stdout, stderr] = this.#drains;
    await this.outcome;
    await Promise.all([stdout.finish(isHeld), stderr.finish(() => false)]);
  }

  /**
   * Ends the tree: waits `graceMs` for it to end by itself, then asks, then forces. Resolves when it is reaped.
   * What a second call asks for is under way already.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    if (this.pid !== undefined && !(await settlesWithin(this.outcome, graceMs))) {
      groups.signal(this.pid, 'SIGTERM');
      if (!(await settlesWithin(this.outcome, this.#killAfterMs))) this.#kill(this.pid);
    }
    await this.reaped;
  }

  #kill(pid: number): void {
    this.#killed = true;
    groups.signal(pid, 'SIGKILL');
  }

  async #reap(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    const forget = liveProcesses.add(() => groups.killNow(pid));
    await this.outcome;
    // Whoever still writes may be about to finish.
    await settlesWithin(Promise.all(this.#drains.map((drain) => drain.closed)), quietMs);
    if (!this.#killed && (await groups.runs(pid))) {
      groups.signal(pid, 'SIGTERM');
      if (!(await this.#gone(pid, this.#killAfterMs))) this.#kill(pid);
    }
    await this.#gone(pid, disappearMs);
    forget();
  }

  async #gone(pid: number, withinMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs;
    for (let pauseMs = 5; await groups.runs(pid); pauseMs = Math.min(pauseMs * 2, 100)) {
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) return false;
      await sleep(Math.min(pauseMs, leftMs));
    }
    return true;
  }
}

function start({
  launch,
  stdin,
  shell,
}: TreeOptions): { child: ChildProcess } | { failure: NodeJS.ErrnoException } {
  try {
    const child = spawn(launch.command, launch.args, {
      ...(launch.cwd !== undefined && { cwd: launch.cwd }),
      env: launch.env,
      shell,
      stdio: [stdin, 'pipe', 'pipe'],
      // A group of its own; on Windows this would open a console window instead.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    return { child };
  } catch (error) {
    // Node throws some of the system's refusals and emits the others; whatever it throws here is an Error.
    return { failure: error as NodeJS.ErrnoException };
  }
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ status: { exitCode, signal } }));
    child.on('error', (failure: NodeJS.ErrnoException) => {
      // A signal that could not be sent is an 'error' too, and no end.
      if (failure.syscall?.startsWith('spawn')) resolve({ failure });
    });
  });
}

function endedStream(): PassThrough {
  const stream = new PassThrough();
  stream.end();
  return stream;
}
