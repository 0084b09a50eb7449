import { InvalidParamsError } from '../base/errors.ts';
import { shown } from '../base/options.ts';
import type { AuthMethod } from '../protocol/dialect.ts';

/**
 * Checks the method of a login against those that the agent offers.
 *
 * @throws {@link InvalidParamsError} if the agent does not offer it, or does not perform it itself.
 */
export function assertLoginMethod(methodId: string, authMethods: readonly AuthMethod[]): void {
  const method = authMethods.find((candidate) => candidate.methodId === methodId);
  // An agent without any method lacks the capability, which the gate reports.
  if (method?.type === 'agent' || authMethods.length === 0) return;
  const offered = authMethods.filter(({ type }) => type === 'agent').map((candidate) => candidate.methodId);
  const expected =
    offered.length === 0
      ? 'a login that the agent performs itself, and it offers none'
      : `one of ${offered.join(', ')}`;
  const how =
    method?.type === 'terminal'
      ? "run the agent's program with the method's args and env, then connect again"
      : 'log in as the agent describes it, then connect again';
  const why = method
    ? `the method ${shown(methodId)} is of type ${method.type}, which does not use the connection: ${how}`
    : `methodId must be ${expected}; got ${shown(methodId)}`;
  throw new InvalidParamsError(`login: ${why}. Nothing was sent.`);
}
