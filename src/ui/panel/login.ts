import { withLimits } from '../../core/base/wait.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import type { PanelLoginMethod } from './state.ts';

/** The methods as a page sees them: not the programs and variables that belong to them. */
export function loginMethods(methods: readonly AuthMethod[]): readonly PanelLoginMethod[] {
  return methods.map(({ methodId, name, description, type }) => ({ methodId, name, description, type }));
}

/** What has to follow a login: nothing, or a new start of the agent, which does not know of it. */
export type AfterLogin = 'continue' | 'restart';

/** The login that the user has begun. Another one takes its place. */
export function runningLogin(runner: MachineRunner) {
  let current: AbortController | undefined;
  /** Gives it up. A program that it has started in a terminal goes on. */
  const cancel = () => current?.abort(panelError('panel.cancelled', 'The login was given up.'));

  /**
   * Logs in with a method that the agent offers. Rejects with `panel.cancelled` if it is given up.
   *
   * @param inTerminal - The login in a terminal of the editor.
   * @throws a refusal if the agent does not offer the method.
   */
  const run = async (
    connection: ClientConnection,
    methodId: string,
    inTerminal: ((method: AuthMethod) => Promise<void>) | undefined,
  ): Promise<AfterLogin> => {
    const method = connection.authMethods.find((candidate) => candidate.methodId === methodId);
    if (!method)
      throw refused('The agent does not offer this login. Use the methodId of one of its methods.');
    cancel();
    const control = new AbortController();
    const { signal } = control;
    current = control;
    runner.dispatch({ type: 'login', login: { name: method.name } });
    try {
      if (method.type === 'terminal' && inTerminal) {
        await withLimits(inTerminal(method), { signal });
        return 'restart';
      }
      assertPossible(method);
      await connection.login(methodId, { signal });
      return 'continue';
    } finally {
      if (current === control) runner.dispatch({ type: 'login', login: null });
    }
  };

  return { run, cancel };
}

/** @throws what the user can do, if the login is done outside of the agent. */
function assertPossible({ name, type, vars }: AuthMethod): void {
  if (type === 'env_var') {
    const names = vars?.map((variable) => variable.name).join(', ');
    const how = `Set ${names || 'the environment variables that the agent names'}, then start the agent again.`;
    throw panelError('panel.login', `The login "${name}" uses environment variables. ${how}`, 'restart');
  }
  if (type === 'terminal') {
    const message = `The login "${name}" runs in a terminal, and this editor has none for it. Run it in a terminal of your own, then start the agent again.`;
    throw panelError('panel.login', message, 'restart');
  }
}
