import { isJsonObject } from '../base/json.ts';
import type { HandlerContext, TerminalHandlers } from '../client/requests/handlers.ts';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';

/**
 * The terminals of a recorded client: no command runs, and each request is answered as it was in the recording.
 *
 * @param answerTo - Gives the recorded answer to a request, where the recording has one.
 */
export function recordedTerminals(
  answerTo: (method: string, context: HandlerContext) => Promise<unknown>,
): TerminalHandlers {
  const answer = async <T>(method: string, context: HandlerContext): Promise<T> => {
    const result = await answerTo(method, context);
    // The client checks what its handlers return, so the recorded results are passed on as they are.
    if (isJsonObject(result)) return result as T;
    throw new RequestError(rpcCodes.internalError, `The recorded client refused ${method}.`);
  };
  return {
    create: (_request, context) => answer('terminal/create', context),
    output: (_request, context) => answer('terminal/output', context),
    waitForExit: (_request, context) => answer('terminal/wait_for_exit', context),
    async kill(_request, context) {
      await answer('terminal/kill', context);
    },
    // The client also releases terminals by itself: the recording then has no answer.
    async release(_request, context) {
      await answerTo('terminal/release', context);
    },
  };
}
