import { AuthRequiredError, type RemoteError } from '../../base/errors.ts';
import { adviceWith } from '../../protocol/login-advice.ts';
import { answeredWithError } from '../../rpc/remote-error.ts';
import type { Link } from './link.ts';

/** The error for the lack of a login, with what the user can do. */
export function loginError(error: RemoteError, { authMethods, program, agent }: Link): AuthRequiredError {
  const { method = '', rpcCode, data, agentMessage } = error;
  const advice = adviceWith({ authMethods, agentMessage, data, program }, agent).text;
  const none = authMethods.length === 0 ? ' It offers no login method.' : '';
  const message = `${answeredWithError(method, rpcCode, agentMessage)}${none} ${advice}`;
  const prompt = error.promptAccepted === undefined ? {} : { promptAccepted: error.promptAccepted };
  return new AuthRequiredError(message, { method, rpcCode, data, agentMessage, advice, ...prompt });
}
