import { checkOptions, optionsObject } from '../../core/base/options.ts';
import { editorEnvironment } from '../environment/editor-variables.ts';
import { absolutePath, arrayOf, systemString } from './options.ts';

/** The command that starts an agent, as `spawnAgent` takes it. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the command that runs a JavaScript file with the runtime of this process, for an agent that is a part of your
 * editor or an installed package. Works with Node, Bun, Deno and Electron, also in an AppImage or a snap.
 *
 * The program of Electron, such as that of VS Code, runs as Node if the variable `ELECTRON_RUN_AS_NODE` is set. The
 * command sets it. An option `--import` before the file removes it when the program has started, so the programs that
 * the agent starts do not inherit it. `process.argv` is as with Node; the option is in `process.execArgv`. An agent
 * that starts `process.execPath` must set the variable for it; `child_process.fork` does so by itself. If the
 * application has turned off the fuse `runAsNode`, Electron ignores the variable: start an installed Node instead.
 *
 * With an `env` of your own, keep that of the command: `env: { ...command.env, API_KEY: key }`.
 *
 * @param file - An absolute path.
 * @param args - The arguments that the file gets. Default: none.
 * @throws {@link InvalidParamsError} if the path is not absolute, or a value is not a string.
 *
 * @example
 * ```ts
 * const agent = spawnAgent({ ...nodeCommand('/path/to/agent.js', ['--acp']), cwd });
 * ```
 * @see https://www.electronjs.org/docs/latest/api/environment-variables#electron_run_as_node
 */
export function nodeCommand(file: string, args: readonly string[] = []): AgentCommand {
  checkOptions('nodeCommand', parameters, { file, args });
  const command = process.execPath;
  if (process.versions['electron'] === undefined) return { command, args: [file, ...args], env: {} };
  const env = electronAsNode();
  return { command, args: [restoringOption(Object.keys(env)), file, ...args], env };
}

const parameters = optionsObject({ file: absolutePath, args: arrayOf(systemString) });

/** What the program of Electron needs to run as Node. */
function electronAsNode(): Record<string, string> {
  const { LD_LIBRARY_PATH: libraries } = process.env;
  // Electron can need libraries of its AppImage. Other programs must not load them, so agents do not inherit this.
  const isChanged = libraries !== undefined && libraries !== editorEnvironment()['LD_LIBRARY_PATH'];
  return { ELECTRON_RUN_AS_NODE: '1', ...(isChanged && { LD_LIBRARY_PATH: libraries }) };
}

/**
 * The option that gives variables the values that an agent inherits. It needs no file, which a bundle would not have.
 */
function restoringOption(names: readonly string[]): string {
  const inherited = editorEnvironment();
  const statements = names.map((name) => {
    const value = inherited[name];
    return value === undefined
      ? `delete process.env.${name}`
      : `process.env.${name}=${JSON.stringify(value)}`;
  });
  return `--import=data:text/javascript,${encodeURIComponent(statements.join(';'))}`;
}
