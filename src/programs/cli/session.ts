import { statSync } from 'node:fs';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { InvalidParamsError, TimeoutError } from '../../core/base/errors.ts';
import { abortWith, IdleTimer } from '../../core/base/wait.ts';
import type { CallOptions } from '../../core/client/calls/call-options.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { supportedMcpServers } from '../../core/client/mcp-servers.ts';
import type { HistoryPolicy } from '../../core/client/session/opener.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import type { ConversationEntry } from '../../core/model/conversation.ts';
import type { McpServerConfig } from '../../core/model/mcp-server.ts';
import { isToolCallFinished } from '../../core/model/tool-call.ts';
import { cleanLine } from '../../core/render/clean.ts';
import { nodeFileSystem } from '../../node/files/file-system.ts';
import { mcpServersFromConfig } from '../../node/files/mcp-config.ts';
import { showWhile, silenceNote } from './activity.ts';
import { type Restart, withAgent } from './agent.ts';
import { type Invocation, usesFilesHere } from './arguments.ts';
import { type Context, interrupted } from './context.ts';
import { CommandError, usageError, withoutCall } from './errors.ts';
import type { LiveTranscript } from './live.ts';
import type { Assignment } from './options.ts';
import { type AnsweredPermission, permissionHandler, type Surroundings } from './permission.ts';
import { changeSetting } from './settings.ts';
import { Terminal } from './terminal.ts';

/** An open session, as the commands use it. */
export interface OpenedSession {
  readonly connection: ClientConnection;
  readonly session: Session;
  /** For other calls. */
  readonly options: CallOptions;
  /**
   * Takes a turn. The first Ctrl-C cancels it.
   *
   * @throws {@link CommandError} if the user cancelled the turn, when it has ended.
   * @throws {@link TimeoutError} if the agent was silent for as long as `--timeout` says.
   */
  takeTurn(content: readonly ContentBlock[]): Promise<void>;
  /** Opens a new session on the same connection, with the same settings. */
  openNew(): Promise<OpenedSession>;
}

interface SessionOptions {
  /** Whether a session that exists is opened with its history. */
  readonly history: HistoryPolicy;
  /** Where questions are asked. Default: one that completes nothing. */
  readonly terminal?: Terminal;
  /** Shows what turns do, as it happens. */
  readonly live?: LiveTranscript | undefined;
  /** Absent where the user is not asked either whether to start an agent again that ignores a cancel. */
  readonly restart?: Omit<Restart, 'onCancelIgnored'> | undefined;
  readonly onAnswered?: (answered: AnsweredPermission) => void;
}

/**
 * Starts the agent, opens the session that `--session` names, or a new one, with the settings of `--set`, calls `use`, and
 * ends the agent. The agent can read and write files in the directory of the session; an agent at a URL only with
 * `--share-files`.
 */
export async function withSession<T>(
  invocation: Invocation,
  context: Context,
  { history, terminal = new Terminal(context), live, restart, onAnswered }: SessionOptions,
  use: (opened: OpenedSession) => Promise<T>,
): Promise<T> {
  const { timeoutMs = Number.POSITIVE_INFINITY, sessionId, mcpFiles, keepsTranscript } = invocation;
  const { cwd = context.host.cwd() } = invocation;
  for (const path of invocation.allowEdits) assertDirectory('--allow-edits', path);
  // That of an agent at a URL is not looked up.
  if (usesFilesHere(invocation)) assertDirectory('--cwd', cwd);
  const servers = await readMcpServers(mcpFiles, cwd, context);
  // Without the option, nothing of it is loaded. A wrong directory fails before the agent starts.
  const transcripts = keepsTranscript
    ? await (await import('./kept-transcripts.ts')).openToRecord(invocation, context)
    : undefined;
  /** Those of the last turn: the limit of its silence, and the note about it. */
  let timers: readonly IdleTimer[] = [];
  let turnOver = new AbortController();
  let isPaused = false;
  const surroundings: Surroundings = {
    async pausedFor(question) {
      isPaused = true;
      context.output.status('');
      for (const timer of timers) timer.pause();
      live?.pause();
      try {
        return await question();
      } finally {
        isPaused = false;
        for (const timer of timers) timer.resume();
        live?.resume();
      }
    },
    onShown: (toolCall) => live?.asked(toolCall),
  };
  const onCancelIgnored = async (restartAgent: () => void) => {
    const { signal } = turnOver;
    const isWanted = await surroundings.pausedFor(async () => {
      const said = await terminal.confirm('Start the agent again?', signal);
      // The cursor is behind the question.
      if (signal.aborted) context.output.note('');
      return said;
    });
    if (isWanted) restartAgent();
  };
  const activity = () => {
    if (isPaused) return undefined;
    // The first Ctrl-C cancels the turn.
    return context.interrupts.effect === 'exits' ? 'Cancelling' : cleanLine(live?.runningTool ?? 'Working');
  };
  const takeTurn = async (session: Session, content: readonly ContentBlock[]) => {
    const abort = new AbortController();
    const method = 'session/prompt';
    const silence = new TimeoutError(`The agent said nothing for ${timeoutMs} ms.`, { method, timeoutMs });
    turnOver = new AbortController();
    // The note would end a line of the transcript that is open, and the status says that the agent works.
    const isInLine = () => live?.isLineOpen === true && context.output.showsStatus;
    const isExpected = () => isInLine() || session.conversation.entries.some(isRunning);
    timers = [new IdleTimer(timeoutMs, () => abort.abort(silence)), silenceNote(context.output, isExpected)];
    for (const timer of timers) timer.start();
    try {
      await showWhile(context, activity, promptUntilCancelled(session, content, abort, context, live));
    } finally {
      turnOver.abort();
      for (const timer of timers) timer.stop();
    }
  };
  const agentOptions = {
    handlers: {
      requestPermission: permissionHandler(invocation, context, terminal, surroundings, onAnswered),
      ...(usesFilesHere(invocation) && nodeFileSystem({ roots: [cwd] })),
    },
    restart: restart && { ...restart, onCancelIgnored },
    onIncoming() {
      for (const timer of timers) timer.restart();
    },
  };
  try {
    return await withAgent(invocation, context, agentOptions, async (connection, options) => {
      const { supported, unsupported } = supportedMcpServers(connection, servers);
      for (const { server, reason } of unsupported) noteUnused(server.name, reason, context);
      const params = { cwd, mcpServers: supported };
      const opened = async (session: Session): Promise<OpenedSession> => {
        transcripts?.record(session);
        await changeSettings(session, invocation.settings, options);
        return { connection, session, options, takeTurn: (content) => takeTurn(session, content), openNew };
      };
      const openNew = () =>
        showWhile(context, () => 'Opening a session', connection.newSession(params, options).then(opened));
      if (sessionId === undefined) return use(await openNew());
      const opening = connection.openSession({ ...params, sessionId }, { ...options, history });
      return use(await showWhile(context, () => 'Opening the session', opening.then(opened)));
    });
  } finally {
    terminal.close();
    await transcripts?.close();
  }
}

function isRunning(entry: ConversationEntry): boolean {
  return entry.kind === 'toolCall' && entry.origin === 'live' && !isToolCallFinished(entry.status);
}

/** @throws {@link CommandError} if the path that an option names is not a directory. */
function assertDirectory(option: string, path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`${option}: ${path} is not a directory.`);
}

/** The MCP servers of configurations. Reports those that cannot be passed on. */
async function readMcpServers(
  files: readonly string[],
  cwd: string,
  context: Context,
): Promise<readonly McpServerConfig[]> {
  const found: McpServerConfig[] = [];
  for (const file of files) {
    const read = await mcpServersFromConfig(file, { workspaceFolder: cwd }).catch((error: unknown) => {
      throw usageError(`--mcp: ${withoutCall(errorMessage(error))}`);
    });
    found.push(...read.servers);
    for (const { name, reason } of read.skipped) noteUnused(name, reason, context);
  }
  return found;
}

function noteUnused(name: string, reason: string, { output }: Context): void {
  output.note(`The MCP server ${cleanLine(name)} is not used. ${cleanLine(reason)}`);
}

async function changeSettings(
  session: Session,
  settings: readonly Assignment[],
  options: CallOptions,
): Promise<void> {
  for (const assignment of settings) {
    await changeSetting(session, assignment, options).catch((error: unknown) => {
      if (!(error instanceof InvalidParamsError)) throw error;
      throw usageError(`--set: ${withoutCall(error.message)}`);
    });
  }
}

async function promptUntilCancelled(
  session: Session,
  content: readonly ContentBlock[],
  abort: AbortController,
  { interrupts, output }: Context,
  live: LiveTranscript | undefined,
): Promise<void> {
  interrupts.signal.throwIfAborted();
  const stopListening = abortWith(abort, interrupts.signal);
  let isCancelled = false;
  const stopCatching = interrupts.catchNext(() => {
    isCancelled = true;
    // The terminal may have shown the key in the line.
    if (!live?.cancel()) output.note('');
    output.note('Cancelling the turn. Press Ctrl-C again to exit at once.\n');
    // If the agent has exited, the prompt rejects with the reason.
    session.cancel().catch(() => {});
  });
  try {
    await session.prompt(content, { signal: abort.signal });
  } finally {
    stopCatching();
    stopListening();
  }
  if (isCancelled) throw interrupted();
}
