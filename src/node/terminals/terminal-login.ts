import { ExitError, InvalidParamsError } from '../../core/base/errors.ts';
import { describeExit } from '../../core/base/process-exit.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import { inheritedEnvironment } from '../environment/editor-variables.ts';
import { searchProgram } from '../process/program-path.ts';
import type { SpawnAgentOptions } from '../process/spawn.ts';
import { spawnErrorOf } from '../process/spawn-error.ts';
import { startProgram } from '../process/start-program.ts';

/**
 * Runs a login method of type `terminal`: the agent's program, or the method's own `command`, with the arguments and
 * variables of the method, in the terminal of this process. Resolves when the program has exited with code 0. This does
 * not affect connections: connect again afterwards. An editor with its own terminals runs {@link terminalLoginCommand} in
 * one of them.
 *
 * @param agent - The options with which the agent is started.
 * @param method - One of `connection.authMethods`.
 * @throws {@link SpawnError} if the program does not start, and {@link ExitError} if it exits with another code.
 *
 * @example
 * ```ts
 * const method = connection.authMethods.find(({ type }) => type === 'terminal');
 * if (method) await loginInTerminal({ command: 'some-agent' }, method);
 * ```
 * @see https://agentclientprotocol.com/protocol/authentication
 */
export async function loginInTerminal(agent: SpawnAgentOptions, method: AuthMethod): Promise<void> {
  const launch = loginLaunch(agent, method);
  const outcome = await startProgram(launch, { stdio: 'inherit' }).outcome;
  if ('failure' in outcome) throw await spawnErrorOf(outcome.failure, launch);
  const exit = outcome.status;
  if (exit.exitCode === 0) return;
  throw new ExitError(
    `The login "${method.name}" did not succeed: "${launch.command}" ${describeExit(exit)}. Try again, or choose another method.`,
    { ...exit, stderrTail: '' },
  );
}

/**
 * The program that a login method of type `terminal` runs, for an editor that has its own terminals. `command` is the
 * absolute path of its file, so that no terminal looks the name up in the working directory. It is as it was given if
 * there is no such file.
 *
 * @throws {@link InvalidParamsError} if the method is of another type.
 *
 * @example
 * ```ts
 * const { command, args, env } = terminalLoginCommand({ command: 'some-agent' }, method);
 * ```
 */
export function terminalLoginCommand(
  agent: SpawnAgentOptions,
  method: AuthMethod,
): { command: string; args: string[]; cwd: string | undefined; env: Record<string, string> } {
  const launch = loginLaunch(agent, method);
  return {
    ...launch,
    command: searchProgram(launch.command, launch.env, launch.cwd).program ?? launch.command,
  };
}

function loginLaunch(
  { command, args = [], cwd, env = {}, editorVariables }: SpawnAgentOptions,
  { methodId, type, command: ownCommand, args: methodArgs = [], env: methodEnv = {} }: AuthMethod,
) {
  if (type !== 'terminal') {
    const id = JSON.stringify(methodId);
    const remedy = type === 'agent' ? `call connection.login(${id})` : 'log in as the agent describes it';
    throw new InvalidParamsError(
      `The method ${id} is of type ${type} and does not run in a terminal: ${remedy}.`,
    );
  }
  return {
    command: ownCommand ?? command,
    args: ownCommand === undefined ? [...args, ...methodArgs] : [...methodArgs],
    cwd,
    env: inheritedEnvironment({ env: { ...env, ...methodEnv }, editorVariables }),
  };
}
