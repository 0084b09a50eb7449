import { PassThrough, type Readable, type Writable } from 'node:stream';
import { deferred, delay, settlesWithin } from '../../core/base/wait.ts';
import { createDrain, type Drain, quietMs } from './drain.ts';
import { killOnExit } from './live-processes.ts';
import { groups } from './process-group.ts';
import { markName, type Program } from './process-table.ts';
import { type Launch, type Outcome, startProgram } from './start-program.ts';
import { watch } from './watchdog.ts';

export interface TreeOptions {
  readonly launch: Launch;
  readonly stdin: 'pipe' | 'ignore';
  /** Whether the command is a command line for the system's shell. Default: false. */
  readonly shell?: boolean;
  /**
   * Whether the program may exit by itself, as a command does. If not, its exit is a crash unless it was closed.
   * Default: false.
   */
  readonly mayExit?: boolean;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly killAfterMs: number;
  /** What becomes of daemons at `close`, and at the end of a program that may exit. */
  readonly daemons: Daemons;
}

/**
 * Whether daemons, which are processes that moved to another session and whose parents have exited, end with the
 * program that started them, or live on. They are found on Linux only.
 */
export type Daemons = 'end' | 'spare';

/** How long to wait for processes to disappear after SIGKILL. The system can be unable to end a process. */
const disappearMs = 1000;

/**
 * How a tree was ended. What a program started ends with it. Only daemons survive `close`, and the end of a program
 * that may exit, unless {@link TreeOptions.daemons} says otherwise. After the others they end too.
 */
type End = 'close' | 'kill' | 'crash';

/**
 * A program and everything that it starts. The program runs in its own process group, which ends with it. Descendants
 * in other groups are found through their parents while the program runs. On Linux, they are also found by a mark in
 * their environment, if daemons end too.
 *
 * All of it is killed if this process exits first.
 */
export class ProcessTree {
  /** Absent if the program did not start. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has exited, or did not start. Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** Resolves when the program and everything it left behind have exited. Never rejects. */
  readonly reaped: Promise<void>;
  readonly #drains: readonly [stdout: Drain, stderr: Drain];
  readonly #options: TreeOptions;
  /** Known on systems with `/proc` only. */
  readonly #mark = process.platform === 'linux' ? crypto.randomUUID() : undefined;
  /** Process groups of the program and its descendants. */
  readonly #groups = new Set<number>();
  readonly #abandon: () => void;
  /** The last signal that was sent. */
  #sent: 'SIGTERM' | 'SIGKILL' | undefined;
  #end: End | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: TreeOptions) {
    this.#options = options;
    const { launch, stdin, shell = false } = options;
    // A process group of its own. On Windows this would open a console window instead.
    const detached = process.platform !== 'win32';
    // It replaces the mark of an agent in which this process itself runs.
    const env = { ...launch.env, ...(this.#mark !== undefined && { [markName]: this.#mark }) };
    const { child, outcome } = startProgram(
      { ...launch, env },
      { stdio: [stdin, 'pipe', 'pipe'], shell, detached },
    );
    this.pid = child?.pid;
    if (this.pid !== undefined) this.#groups.add(this.pid);
    this.stdin = child?.stdin ?? new PassThrough().end();
    // Node creates no streams when it has no free file descriptors.
    this.stdout = child?.stdout ?? new PassThrough().end();
    this.stderr = child?.stderr ?? new PassThrough().end();
    this.stdin.on('error', () => {}); // A program that does not read its input is handled when it exits.
    this.#drains = [createDrain(this.stdout), createDrain(this.stderr)];
    const abandoned = deferred<Outcome>();
    this.#abandon = () => {
      child?.unref();
      abandoned.resolve({ status: { exitCode: null, signal: 'SIGKILL' } });
    };
    this.outcome = Promise.race([outcome, abandoned.promise]);
    this.reaped = this.#reap();
  }

  /**
   * Reads both outputs to their end, after the program has exited.
   *
   * @param isPaused - Whether the reader of stdout has paused it and will resume it.
   */
  async drained(isPaused: () => boolean = () => false): Promise<void> {
    const [stdout, stderr] = this.#drains;
    await this.outcome;
    await Promise.all([stdout.finish(isPaused), stderr.finish(() => false)]);
  }

  /**
   * Ends the tree: closes the input, waits `graceMs` for the program to exit, then sends SIGTERM, then SIGKILL.
   * Resolves like `reaped`, also if the system cannot end the program. After `close` or `kill` it has no further
   * effect.
   */
  close(graceMs: number): Promise<void> {
    this.#ending ??= this.#stop('close', graceMs);
    return this.#ending;
  }

  /** Like `close`, but begins with SIGTERM, and daemons end too. */
  kill(): Promise<void> {
    this.#ending ??= this.#stop('kill', 0);
    return this.#ending;
  }

  async #stop(end: End, graceMs: number): Promise<void> {
    const { pid } = this;
    if (pid !== undefined && !(await settlesWithin(this.outcome, 0))) {
      this.#end = end;
      // Before the program exits, because its children then get another parent.
      await this.#findGroups(pid);
      if (graceMs > 0) this.stdin.end();
      const isOver = graceMs > 0 && (await settlesWithin(this.outcome, graceMs));
      if (!isOver) await this.#terminate(pid);
    }
    await this.reaped;
  }

  async #terminate(pid: number): Promise<void> {
    this.#signal('SIGTERM');
    if (await settlesWithin(this.outcome, this.#options.killAfterMs)) return;
    await this.#findGroups(pid);
    this.#signal('SIGKILL');
    if (!(await settlesWithin(this.outcome, disappearMs))) this.#abandon();
  }

  async #findGroups(pid: number): Promise<void> {
    for (const group of await groups.find(this.#program(pid))) this.#groups.add(group);
  }

  #program(pid: number): Program {
    const daemonsEnd = this.#options.daemons === 'end' || this.#end === 'kill' || this.#end === 'crash';
    return { pid, mark: daemonsEnd ? this.#mark : undefined };
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#sent = signal;
    for (const group of this.#groups) groups.signal(group, signal);
  }

  async #reap(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    const cancelKill = killOnExit(() => this.#program(pid));
    const unwatch = watch({ pid, mark: this.#mark });
    const outcome = await this.outcome;
    if (this.#isCrash(outcome)) {
      this.#end = 'crash';
      await this.#killRest(pid);
    } else {
      if (this.#options.daemons === 'end') await this.#findGroups(pid);
      await this.#endRest();
    }
    cancelKill();
    await unwatch();
  }

  #isCrash(outcome: Outcome): boolean {
    const signal = 'status' in outcome ? outcome.status.signal : null;
    // This library did not send it: the program crashed, or the system ran out of memory.
    if (signal !== null && this.#sent === undefined) return true;
    return !this.#options.mayExit && this.#end !== 'close';
  }

  /**
   * Kills what a crashed program left behind, again and again until nothing of it runs. Its parent is dead, so nothing
   * would end in order.
   */
  async #killRest(pid: number): Promise<void> {
    let leftMs = disappearMs;
    for (let pauseMs = 5; leftMs > 0; pauseMs = Math.min(pauseMs * 2, 100)) {
      await this.#findGroups(pid);
      if (!(await this.#runs())) return;
      this.#signal('SIGKILL');
      await delay(pauseMs);
      leftMs -= pauseMs;
    }
  }

  /** Ends what a program left in its groups: with SIGTERM, then SIGKILL. */
  async #endRest(): Promise<void> {
    // A process that still writes may be about to finish.
    await settlesWithin(Promise.all(this.#drains.map((drain) => drain.closed)), quietMs);
    if (!(await this.#runs())) return;
    if (this.#sent !== 'SIGKILL') {
      this.#signal('SIGTERM');
      if (await this.#exitsWithin(this.#options.killAfterMs)) return;
      this.#signal('SIGKILL');
    }
    await this.#exitsWithin(disappearMs);
  }

  async #runs(): Promise<boolean> {
    const running = await Promise.all([...this.#groups].map((group) => groups.runs(group)));
    return running.includes(true);
  }

  /** Whether all groups exit within `timeoutMs`. */
  async #exitsWithin(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let pauseMs = 5; await this.#runs(); pauseMs = Math.min(pauseMs * 2, 100)) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      await delay(Math.min(pauseMs, leftMs));
    }
    return true;
  }
}
