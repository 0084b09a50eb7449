import { randomUUID } from 'node:crypto';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';
import { maxTimerMs } from '../wait.ts';
import { mergeEnvironment } from './environment.ts';
import {
  abortSignal,
  absolutePath,
  assertOptions,
  type Check,
  environment,
  optional,
  wholeNumber,
} from './options.ts';
import type { ExitStatus } from './process-tree.ts';
import { Terminal, type TerminalListener, type TerminalView } from './terminal.ts';
import { type CreateTerminalRequest, startOf } from './terminal-start.ts';

/** Where commands run, and how much of their output is kept. */
export interface NodeTerminalsOptions {
  /** Where a command runs for which the agent names no folder; absolute. Default: the folder of this process. */
  readonly cwd?: string | undefined;
  /** Goes over the environment of this process, below what the agent asks for; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** How much output is kept where the agent names no limit, in bytes. Default: 1 MiB. */
  readonly outputByteLimit?: number | undefined;
  /** How much is kept at the most, whatever the agent asks for, in bytes. Default: 64 MiB. */
  readonly maxOutputByteLimit?: number | undefined;
  /** Of how many released terminals the output stays to be shown. Default: 50; the oldest go first. */
  readonly keepReleased?: number | undefined;
  /** How long a command may take to end after SIGTERM, before SIGKILL. Default: 2000. */
  readonly killAfterMs?: number | undefined;
  /** Ends all terminals, as `close` does, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What the terminals heed of a handler's context. */
export interface TerminalContext {
  readonly signal?: AbortSignal;
}

/** The terminals for `handlers.terminals`, and for the editor to show them. */
export interface NodeTerminals extends AsyncDisposable {
  /** Starts a command. Resolves when it runs. */
  create(request: CreateTerminalRequest, context?: TerminalContext): Promise<{ terminalId: string }>;
  /** What it printed so far, within the limit, and how it ended if it has. */
  output(request: {
    readonly terminalId: string;
  }): Promise<{ output: string; truncated: boolean; exitStatus: ExitStatus | null }>;
  /** Resolves when the command has ended and its output is complete. */
  waitForExit(request: { readonly terminalId: string }, context?: TerminalContext): Promise<ExitStatus>;
  /** Ends the command; the terminal stays. Resolves when everything that it started has ended too. */
  kill(request: { readonly terminalId: string }): Promise<void>;
  /** Ends the command, and the agent's use of the terminal. */
  release(request: { readonly terminalId: string }): Promise<void>;
  /** The terminal as it is now, for the editor: after its release too, see `keepReleased`. */
  get(terminalId: string): TerminalView | undefined;
  /**
   * Calls `listener` with what happens to the terminal from now on, until its release at the most. What came before is
   * in {@link get}. Returns what ends it.
   */
  subscribe(terminalId: string, listener: TerminalListener): () => void;
  /** Releases all terminals. Nothing can be created afterwards. Resolves when everything that ran has ended. */
  close(): Promise<void>;
}

const defaults = {
  outputByteLimit: 1024 * 1024,
  maxOutputByteLimit: 64 * 1024 * 1024,
  keepReleased: 50,
  killAfterMs: 2000,
} as const;

/** What the agent can do nothing about when a start fails. */
const ourFailures: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Runs commands for the agent. They have no keyboard: their input is empty, and their output goes through pipes.
 *
 * A command is started with its arguments and without a shell. Only one that comes without arguments and reads as a
 * line for a shell, as `npm test | tail -5` does, is given to the system's (`/bin/sh`, or `cmd.exe` on Windows).
 *
 * Each command leads a process group, which ends with it: what it left running in the background is ended too, unless
 * it has moved to a group of its own. Nothing outlives this process, see `spawnAgent`. One object serves one
 * connection: `close` it, or abort its `signal`, when the connection has ended.
 *
 * Wrong requests are answered with `RequestError`: -32002 for a terminal that does not exist or was released, -32602
 * for a command that cannot be started.
 *
 * @example
 * const terminals = nodeTerminals({ cwd });
 * const connection = await connect(agent, { clientInfo, handlers: { terminals } });
 * terminals.get(terminalId)?.output; // to be shown where a tool call mentions the terminal
 * @see https://agentclientprotocol.com/protocol/terminals
 */
export function nodeTerminals(options: NodeTerminalsOptions = {}): NodeTerminals {
  assertOptions('nodeTerminals', options, optionChecks);
  const { signal } = options;
  const baseEnvironment = mergeEnvironment(process.env, options.env ?? {});
  const maxOutputByteLimit = options.maxOutputByteLimit ?? defaults.maxOutputByteLimit;
  const keepReleased = options.keepReleased ?? defaults.keepReleased;
  const live = new Map<string, Terminal>();
  const released = new Map<string, Terminal>();
  const endings = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  const find = (terminalId: string): Terminal => {
    const terminal = live.get(terminalId);
    if (terminal) return terminal;
    const what = released.has(terminalId) ? 'was released' : 'does not exist';
    throw new RequestError(rpcCodes.notFound, `The terminal ${terminalId} ${what}.`, { terminalId });
  };

  const release = async (terminalId: string, terminal: Terminal): Promise<void> => {
    live.delete(terminalId);
    released.set(terminalId, terminal);
    for (const oldest of released.keys()) {
      if (released.size <= keepReleased) break;
      released.delete(oldest);
    }
    const ending = terminal.release();
    endings.add(ending);
    await ending;
    endings.delete(ending);
  };

  const close = (): Promise<void> => {
    signal?.removeEventListener('abort', close);
    if (closing) return closing;
    for (const [terminalId, terminal] of live) void release(terminalId, terminal);
    closing = Promise.all(endings).then(() => {});
    return closing;
  };
  if (signal?.aborted) void close();
  else signal?.addEventListener('abort', close);

  const assertOpen = (context: TerminalContext | undefined): void => {
    if (context?.signal?.aborted) throw withdrawn();
    if (closing)
      throw new RequestError(rpcCodes.internalError, 'The client is closing: it starts no more terminals.');
  };

  return {
    async create(request, context) {
      assertOpen(context);
      const start = await startOf(request, options.cwd, baseEnvironment);
      assertOpen(context);
      const terminalId = randomUUID();
      const terminal = new Terminal({
        ...start,
        terminalId,
        outputByteLimit: Math.min(
          request.outputByteLimit ?? options.outputByteLimit ?? defaults.outputByteLimit,
          maxOutputByteLimit,
        ),
        killAfterMs: options.killAfterMs ?? defaults.killAfterMs,
      });
      live.set(terminalId, terminal);
      const failure = await terminal.startFailure();
      if (!failure) return { terminalId };
      live.delete(terminalId);
      const code = ourFailures.has(failure.code) ? rpcCodes.internalError : rpcCodes.invalidParams;
      throw new RequestError(code, failure.message);
    },

    async output({ terminalId }) {
      const { output, truncated, exitStatus = null } = find(terminalId).view();
      return { output, truncated, exitStatus };
    },

    async waitForExit({ terminalId }, context) {
      return unlessAborted(find(terminalId).exited, context?.signal);
    },

    async kill({ terminalId }) {
      await find(terminalId).kill();
    },

    async release({ terminalId }) {
      await release(terminalId, find(terminalId));
    },

    get: (terminalId) => (live.get(terminalId) ?? released.get(terminalId))?.view(),
    subscribe: (terminalId, listener) => live.get(terminalId)?.subscribe(listener) ?? (() => {}),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function withdrawn(): RequestError {
  return new RequestError(rpcCodes.cancelled, 'The agent withdrew its request.');
}

async function unlessAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return value;
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(withdrawn());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const optionChecks: Readonly<Record<keyof NodeTerminalsOptions, Check>> = {
  cwd: optional(absolutePath),
  env: optional(environment),
  outputByteLimit: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  maxOutputByteLimit: optional(wholeNumber(0, 256 * 1024 * 1024)),
  keepReleased: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  killAfterMs: optional(wholeNumber(0, maxTimerMs)),
  signal: optional(abortSignal),
};
