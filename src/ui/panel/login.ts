import { withLimits } from '../../core/base/wait.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';
import type { PanelLoginMethod } from './state.ts';

/** The methods as a page sees them: not the programs and variables that belong to them. */
export function loginMethods(methods: readonly AuthMethod[]): readonly PanelLoginMethod[] {
  return methods.map(({ methodId, name, description, type }) => ({ methodId, name, description, type }));
}

/** What has to follow a login: nothing, or a new start of the agent, which does not know of it. */
export type AfterLogin = 'continue' | 'restart';

interface LoginWays {
  readonly loginInTerminal: ((method: AuthMethod) => Promise<void>) | undefined;
  /** Aborted when the user gives it up: then it rejects with the reason. */
  readonly signal: AbortSignal;
}

/**
 * Logs in with a method that the agent offers.
 *
 * @throws a refusal if the agent does not offer the method.
 */
export async function logIn(
  connection: ClientConnection,
  methodId: string,
  { loginInTerminal, signal }: LoginWays,
): Promise<AfterLogin> {
  const method = connection.authMethods.find((candidate) => candidate.methodId === methodId);
  if (!method) throw refused('The agent does not offer this login. Use the methodId of one of its methods.');
  if (method.type === 'terminal' && loginInTerminal) {
    await withLimits(loginInTerminal(method), { signal });
    return 'restart';
  }
  if (method.type === 'env_var') {
    const names = method.vars?.map(({ name }) => name).join(', ');
    const how = `Set ${names || 'the environment variables that the agent names'}, then start the agent again.`;
    const message = `The login "${method.name}" uses environment variables. ${how}`;
    throw panelError('panel.login', message, 'restart');
  }
  if (method.type === 'terminal') {
    const message = `The login "${method.name}" runs in a terminal, and this editor has none for it. Run it in a terminal of your own, then start the agent again.`;
    throw panelError('panel.login', message, 'restart');
  }
  await connection.login(methodId, { signal });
  return 'continue';
}
