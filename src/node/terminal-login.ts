import spawn from 'cross-spawn';
import { ExitError, InvalidParamsError, SpawnError } from '../errors.ts';
import type { AuthMethod } from '../protocol/dialect.ts';
import { mergeEnvironment } from './environment.ts';
import type { SpawnAgentOptions } from './spawn.ts';
import { explainSpawnFailure } from './spawn-failure.ts';

/**
 * Lets the user log in by a method that runs in a terminal: runs the agent's own program with what the method adds,
 * on the terminal of this process, and waits for its end. Nothing of it goes over a connection; connect again after
 * it. An editor with a terminal of its own runs the same there: {@link terminalLoginCommand}.
 *
 * @param agent - As the agent is started with.
 * @param method - One of `connection.authMethods`, of type `terminal`.
 * @throws {@link SpawnError} if the program does not start, and {@link ExitError} if it ends with a code other than 0.
 *
 * @example
 * ```ts
 * const method = connection.authMethods.find(({ type }) => type === 'terminal');
 * if (method) await loginInTerminal({ command: 'some-agent' }, method);
 * ```
 * @see https://agentclientprotocol.com/protocol/authentication
 */
export async function loginInTerminal(agent: SpawnAgentOptions, method: AuthMethod): Promise<void> {
  const launch = terminalLoginCommand(agent, method);
  const child = spawn(launch.command, [...launch.args], {
    cwd: launch.cwd,
    env: launch.env,
    stdio: 'inherit',
  });
  await new Promise<void>((resolve, reject) => {
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const { command, args, cwd } = launch;
      explainSpawnFailure(cause, launch)
        .then((message) => new SpawnError(message, { command, args, cwd, errno: cause.code, cause }))
        .then(reject, reject);
    });
    child.on('exit', (exitCode, signal) => {
      if (exitCode === 0) return resolve();
      const how = signal === null ? `code ${exitCode}` : signal;
      const message = `The login "${method.name}" did not succeed: "${launch.command}" ended with ${how}. Try again, or choose another method.`;
      reject(new ExitError(message, { exitCode, signal, stderrTail: '' }));
    });
  });
}

/**
 * The program that a login in a terminal runs: the agent's own, with what the method adds. For an editor that has a
 * terminal of its own.
 *
 * @throws {@link InvalidParamsError} if the method does not run in a terminal.
 *
 * @example
 * ```ts
 * const { command, args, env } = terminalLoginCommand({ command: 'some-agent' }, method);
 * ```
 */
export function terminalLoginCommand(
  { command, args = [], cwd, env = {} }: SpawnAgentOptions,
  { methodId, type, args: added = [], env: over = {} }: AuthMethod,
): { command: string; args: string[]; cwd: string | undefined; env: Record<string, string> } {
  if (type !== 'terminal') {
    const id = JSON.stringify(methodId);
    const how = type === 'agent' ? `call connection.login(${id})` : 'log in as the agent describes it';
    throw new InvalidParamsError(`The method ${id} is of type ${type}, which runs in no terminal: ${how}.`);
  }
  return { command, args: [...args, ...added], cwd, env: mergeEnvironment(process.env, { ...env, ...over }) };
}
