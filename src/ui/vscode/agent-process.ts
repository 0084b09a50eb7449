import type { DiagnosticListener } from '../../core/base/diagnostic.ts';
import { InvalidParamsError } from '../../core/base/errors.ts';
import type { Trace } from '../../core/trace/trace.ts';
import type { Transport } from '../../core/transport/transport.ts';
import type { VsCode } from './api.ts';
import { logOptions } from './log.ts';
import { assertCanRun, workspaceSession } from './workspace.ts';

/** The options of `spawnAgent` that {@link agentProcess} adds. */
export interface SpawnSettings {
  readonly cwd?: string | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Options of {@link agentProcess}. */
export interface AgentProcessOptions {
  /** The name of the log in VS Code's Output panel. Default: `Agent`. */
  readonly logName?: string | undefined;
  /** The directory of an agent that runs without an open directory: `os.homedir()`. Default: the start is refused. */
  readonly homeDirectory?: string | undefined;
}

/** The agent of an extension: see {@link agentProcess}. */
export interface WorkspaceAgent<Agent extends Transport, Command extends SpawnSettings = SpawnSettings> {
  /**
   * Starts the agent: the first argument of `connect`, the `agent` of `servePanel`, or the `start` of `knownAgents`.
   *
   * @param command - The options of `spawnAgent` of another agent than that of {@link agentProcess}.
   */
  readonly start: (command?: Command) => Agent;
  /**
   * Writes diagnostics to the log, and the messages while its level is Trace. Spread it into the options of `connect`.
   */
  readonly connectOptions: {
    readonly onDiagnostic: DiagnosticListener;
    readonly trace: Trace;
  };
  /** Has the agent's stderr too. */
  readonly log: ReturnType<VsCode['window']['createOutputChannel']>;
  /** Removes the log. It does not end the agent: close the connection or the panel. */
  dispose(): void;
}

/**
 * Starts the agent of an extension in the first directory of the workspace, and writes what it says on stderr, the
 * diagnostics of its connection, and its messages to a log of VS Code. The user chooses the level of the log with the
 * command "Developer: Set Log Level"; messages are written at the level Trace only, without secrets.
 *
 * In a workspace that the user has not trusted, and where no directory is on disk, `start` throws a
 * {@link ConnectionStateError} that says what the user can do.
 *
 * @param vscode - The module `vscode`.
 * @param spawnAgent - The function of `acp-client-sdk/node`. It is passed in, because a web extension cannot load it.
 * @param command - The options of `spawnAgent`, or a function that returns them for each start. `undefined`: each start
 *   passes a command.
 *
 * @example
 * ```ts
 * const agent = agentProcess(vscode, spawnAgent, { command: 'some-agent', args: ['--acp'] });
 * const connection = await connect(agent.start, { clientInfo, ...agent.connectOptions });
 * ```
 */
export function agentProcess<Command extends SpawnSettings, Agent extends Transport>(
  vscode: VsCode,
  spawnAgent: (command: Command) => Agent,
  command?: NoInfer<Command> | (() => NoInfer<Command>),
  options: AgentProcessOptions = {},
): WorkspaceAgent<Agent, Command> {
  const { logName = 'Agent', homeDirectory } = options;
  const log = vscode.window.createOutputChannel(logName, { log: true });
  return {
    log,
    start(other) {
      assertCanRun(vscode);
      const given = other ?? (typeof command === 'function' ? command() : command);
      if (given === undefined) {
        throw new InvalidParamsError(
          'agentProcess: there is no command. Pass one to agentProcess or to start. Nothing was started.',
        );
      }
      const { onStderr } = given;
      return spawnAgent({
        ...given,
        cwd: given.cwd ?? workspaceSession(vscode, { homeDirectory }).cwd,
        onStderr(text) {
          log.info(text.trimEnd());
          onStderr?.(text);
        },
      });
    },
    connectOptions: logOptions(vscode, log),
    dispose: () => void log.dispose(),
  };
}
