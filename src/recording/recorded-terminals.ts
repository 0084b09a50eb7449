import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ProcessExit } from '../base/process-exit.ts';
import type { HandlerContext, TerminalHandlers, TerminalOutput } from '../client/requests/handlers.ts';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';

/** Gives the recorded answer to a request, where the recording has one. */
type AnswerTo = (method: string, context: HandlerContext) => Promise<unknown>;

/** The terminals of a recorded client: no command runs, and each request is answered as it was in the recording. */
export function recordedTerminals(answerTo: AnswerTo): TerminalHandlers {
  const answer = async (method: string, context: HandlerContext): Promise<JsonObject> => {
    const result = await answerTo(method, context);
    if (isJsonObject(result)) return result;
    throw new RequestError(rpcCodes.internalError, `The recorded client refused ${method}.`);
  };
  // The client checks what its handlers return, so the recorded results are passed on as they are.
  return {
    create: async (_request, context) =>
      (await answer('terminal/create', context)) as unknown as { readonly terminalId: string },
    output: async (_request, context) =>
      (await answer('terminal/output', context)) as unknown as TerminalOutput,
    waitForExit: async (_request, context) =>
      (await answer('terminal/wait_for_exit', context)) as unknown as ProcessExit,
    async kill(_request, context) {
      await answer('terminal/kill', context);
    },
    // The client also releases terminals by itself: the recording then has no answer.
    async release(_request, context) {
      await answerTo('terminal/release', context);
    },
  };
}
