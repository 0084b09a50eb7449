import * as v from 'valibot';
import {
  abortSignal,
  checkOptions,
  integerBetween,
  optional,
  optionsObject,
} from '../../core/base/options.ts';
import type { ProcessExit } from '../../core/base/process-exit.ts';
import { maxTimerMs, onAbort, withLimits } from '../../core/base/wait.ts';
import { assertNotWithdrawn, withdrawn } from '../../core/client/requests/file-answers.ts';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import { editorVariablesOption, inheritedEnvironment } from '../environment/editor-variables.ts';
import { absolutePath, environment, type NodeHandlerContext } from '../process/options.ts';
import { Terminal, type TerminalListener, type TerminalView } from './terminal.ts';
import { startOf, type TerminalCommand } from './terminal-start.ts';

/** Options of {@link nodeTerminals}. */
export interface NodeTerminalsOptions {
  /** The working directory of a command if the agent does not send one. Absolute. Default: that of this process. */
  readonly cwd?: string | undefined;
  /**
   * Changes to the environment of this process, which commands inherit. `undefined` removes a variable. Variables that
   * the agent sets have priority.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Whether commands also inherit the variables of the editor's own runtime, such as `ELECTRON_RUN_AS_NODE`. Default:
   * `remove`, as {@link editorEnvironment} does. Variables in `env`, and those that the agent sets, stay.
   */
  readonly editorVariables?: 'remove' | 'keep' | undefined;
  /** The number of bytes of output that are kept if the agent does not send a limit. Default: 1 MiB. */
  readonly outputByteLimit?: number | undefined;
  /** The highest limit that the agent can ask for, in bytes. Default: 64 MiB. */
  readonly maxOutputByteLimit?: number | undefined;
  /**
   * The maximum number of bytes of memory for the output of all terminals. Default: 256 MiB. Above it, output of
   * released terminals is dropped, the oldest first. After that, a terminal keeps the last part that fits, at least 64
   * KiB.
   */
  readonly totalOutputByteLimit?: number | undefined;
  /**
   * The maximum number of commands that run at the same time. Default: 100. Further commands are refused. Terminals
   * that have exited count until the agent releases them; above the limit, the oldest of them is released.
   */
  readonly maxTerminals?: number | undefined;
  /** The number of released terminals whose output is kept. Default: 50. The oldest are dropped first. */
  readonly keepReleased?: number | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. Default: 2000. */
  readonly killAfterMs?: number | undefined;
  /** Aborting it ends all terminals, like {@link NodeTerminals.close}. */
  readonly signal?: AbortSignal | undefined;
}

/** The value for `handlers.terminals`, with what the editor needs to show the terminals. */
export interface NodeTerminals extends AsyncDisposable {
  /** Starts a command. Resolves when it runs. */
  create(request: TerminalCommand, context?: NodeHandlerContext): Promise<{ terminalId: string }>;
  /** The output so far, within the limit, and the exit if the command has exited. */
  output(request: {
    readonly terminalId: string;
  }): Promise<{ output: string; truncated: boolean; exitStatus: ProcessExit | null }>;
  /** Resolves when the command has exited and its output is complete. */
  waitForExit(request: { readonly terminalId: string }, context?: NodeHandlerContext): Promise<ProcessExit>;
  /** Ends the command and keeps the terminal. Resolves when everything that the command started has exited too. */
  kill(request: { readonly terminalId: string }): Promise<void>;
  /** Ends the command. The agent cannot use the terminal afterwards. */
  release(request: { readonly terminalId: string }): Promise<void>;
  /** Returns the current state of a terminal, for the editor, also after its release: see `keepReleased`. */
  get(terminalId: string): TerminalView | undefined;
  /**
   * Calls `listener` with the output so far, and the exit if the command has exited, then with each change of the
   * terminal until its release. It is first called after this function has returned. Returns a function that removes
   * the listener.
   */
  subscribe(terminalId: string, listener: TerminalListener): () => void;
  /** Releases all terminals, and refuses to create more. Resolves when all commands have exited. */
  close(): Promise<void>;
}

/** The defaults of {@link NodeTerminalsOptions}. */
export const terminalDefaults = {
  outputByteLimit: 1024 * 1024,
  maxOutputByteLimit: 64 * 1024 * 1024,
  totalOutputByteLimit: 256 * 1024 * 1024,
  maxTerminals: 100,
  keepReleased: 50,
  killAfterMs: 2000,
} as const;

/** How many bytes of output a terminal can always keep. */
const guaranteedOutputBytes = 64 * 1024;

/** Codes of failed starts for which the request is not the reason. */
const systemFailures: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Runs commands for the agent. Their input is empty, and their output goes through pipes.
 *
 * A command is started with its arguments and without a shell. A command without arguments that contains shell syntax,
 * such as `npm test | tail -5`, is run by the system's shell: `/bin/sh`, or `cmd.exe` on Windows. Output is read as
 * UTF-8: programs that write in another code page, as some do on Windows, show replacement characters.
 *
 * Each command runs in its own process group, which ends with the command, including its background processes. When a
 * command is killed or released while it runs, its descendants in other groups end as well, and on Linux its daemons.
 * All commands end with this process: see `spawnAgent`. Use one object per connection. The connection calls `close`
 * when it ends.
 *
 * Errors are of type `RequestError`: -32002 for a terminal that does not exist or was released, -32602 for a command
 * that cannot be started.
 *
 * @example
 * const terminals = nodeTerminals({ cwd });
 * const connection = await connect(agent, { clientInfo, handlers: { terminals } });
 * // session.conversation.terminals has the commands that run, with their output
 * @see https://agentclientprotocol.com/protocol/terminals
 */
export function nodeTerminals(options: NodeTerminalsOptions = {}): NodeTerminals {
  const checked = checkOptions('nodeTerminals', optionsSchema, options);
  const { maxTerminals, keepReleased, killAfterMs, signal } = checked;
  const { outputByteLimit, maxOutputByteLimit, totalOutputByteLimit } = checked;
  const baseEnvironment = inheritedEnvironment(options);
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

  let outputBytes = 0;
  const dropOldestReleased = (): boolean => {
    for (const [terminalId, terminal] of released) {
      released.delete(terminalId);
      outputBytes -= terminal.discardOutput();
      return true;
    }
    return false;
  };
  const growOutput = (fromBytes: number, toBytes: number): number => {
    const most = () => Math.max(totalOutputByteLimit - outputBytes + fromBytes, guaranteedOutputBytes);
    while (most() < toBytes && dropOldestReleased());
    const grownBytes = Math.max(fromBytes, Math.min(toBytes, most()));
    outputBytes += grownBytes - fromBytes;
    return grownBytes;
  };

  const release = async (terminalId: string, terminal: Terminal): Promise<void> => {
    live.delete(terminalId);
    released.set(terminalId, terminal);
    while (released.size > keepReleased) dropOldestReleased();
    const ending = terminal.release();
    endings.add(ending);
    await ending;
    endings.delete(ending);
  };

  const close = (): Promise<void> => {
    stopListening();
    if (closing) return closing;
    for (const [terminalId, terminal] of live) void release(terminalId, terminal);
    closing = Promise.all(endings).then(() => {});
    return closing;
  };
  const stopListening = onAbort(signal, () => void close());
  if (signal?.aborted) void close();

  /** Releases the oldest terminal that has exited if there are too many. Throws if all of them run. */
  const makeRoom = (): void => {
    if (live.size < maxTerminals) return;
    const exited = [...live].find(([, terminal]) => terminal.hasExited);
    if (!exited) {
      throw new RequestError(
        rpcCodes.internalError,
        `${maxTerminals} commands run, which is the limit. Wait until one of them exits, or kill one.`,
      );
    }
    void release(...exited);
  };

  const assertOpen = (context: NodeHandlerContext | undefined): void => {
    assertNotWithdrawn(context?.signal);
    if (closing)
      throw new RequestError(
        rpcCodes.internalError,
        'The client is closing and does not start terminals any more.',
      );
  };

  return {
    async create(request, context) {
      assertOpen(context);
      const start = await startOf(request, options.cwd, baseEnvironment);
      assertOpen(context);
      makeRoom();
      const terminalId = crypto.randomUUID();
      const limit = Math.min(request.outputByteLimit ?? outputByteLimit, maxOutputByteLimit);
      const terminal = new Terminal({
        ...start,
        terminalId,
        outputByteLimit: limit,
        growOutput,
        killAfterMs,
      });
      live.set(terminalId, terminal);
      const failure = await terminal.startFailure();
      if (!failure) return { terminalId };
      live.delete(terminalId);
      const code = systemFailures.has(failure.code) ? rpcCodes.internalError : rpcCodes.invalidParams;
      const { cwd } = start.launch;
      throw new RequestError(code, failure.message, cwd === undefined ? undefined : { cwd });
    },

    async output({ terminalId }) {
      const { output, truncated, exitStatus = null } = find(terminalId).view();
      return { output, truncated, exitStatus };
    },

    async waitForExit({ terminalId }, context) {
      const { exited } = find(terminalId);
      return withLimits(exited, { signal: context?.signal }).catch(() => {
        throw withdrawn();
      });
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

const optionsSchema = optionsObject({
  cwd: optional(absolutePath),
  env: optional(environment),
  editorVariables: optional(editorVariablesOption),
  outputByteLimit: v.optional(integerBetween(0, Number.MAX_SAFE_INTEGER), terminalDefaults.outputByteLimit),
  maxOutputByteLimit: v.optional(integerBetween(0, 256 * 1024 * 1024), terminalDefaults.maxOutputByteLimit),
  totalOutputByteLimit: v.optional(
    integerBetween(0, Number.MAX_SAFE_INTEGER),
    terminalDefaults.totalOutputByteLimit,
  ),
  maxTerminals: v.optional(integerBetween(1, Number.MAX_SAFE_INTEGER), terminalDefaults.maxTerminals),
  keepReleased: v.optional(integerBetween(0, Number.MAX_SAFE_INTEGER), terminalDefaults.keepReleased),
  killAfterMs: v.optional(integerBetween(0, maxTimerMs), terminalDefaults.killAfterMs),
  signal: optional(abortSignal),
} satisfies Record<keyof NodeTerminalsOptions, v.GenericSchema>);
