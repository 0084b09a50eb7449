import { type AcpError, ConnectionClosedError, RemoteError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { TurnUsage } from '../../model/session.ts';
import { remoteError } from '../../rpc/remote-error.ts';
import type { AgentFailure } from './state.ts';

/** The agent's acceptance of a prompt, with the id of the user message if it gave one. */
export interface PromptAcceptance {
  readonly messageId: string | null;
}

/** How a turn ended. */
export interface PromptResult {
  /** `null` where the agent became idle without a reason. Treat an unknown reason as an end. */
  readonly stopReason:
    | 'end_turn'
    | 'max_tokens'
    | 'max_turn_requests'
    | 'refusal'
    | 'cancelled'
    | (string & {})
    | null;
  /** The id of the prompt's message, where the agent gave one. */
  readonly messageId: string | null;
  /** The tokens that the turn used, where the agent reports them. */
  readonly usage?: TurnUsage;
  /** The `_meta` of the answer to the prompt. */
  readonly _meta?: JsonObject;
}

/** The end of a turn as a promise, and before it the acceptance of the prompt. */
export interface PromptTurn extends Promise<PromptResult> {
  /**
   * Resolves when the agent accepted the prompt. Version 1 does not confirm a prompt: there it resolves at the end of
   * the turn. Rejects with the turn's error, if that comes first.
   */
  readonly accepted: Promise<PromptAcceptance>;
}

/** What is known of a prompt when the connection ends. */
type Acceptance = 'accepted' | 'begun' | 'unknown';

const acceptanceTexts: Readonly<Record<Acceptance, string>> = {
  accepted: 'The agent had accepted the prompt.',
  begun: 'The agent had begun to work on the prompt.',
  unknown: 'Whether the agent had accepted the prompt is not known: there was no sign of it.',
};

/** The error of a turn that the end of the connection ended, with what is known of the prompt. */
export function interruptedTurnError(error: unknown, acceptance: Acceptance): unknown {
  if (!(error instanceof ConnectionClosedError)) return error;
  return new ConnectionClosedError(`${error.message} ${acceptanceTexts[acceptance]}`, {
    method: 'session/prompt',
    exit: error.exit,
    cause: error.cause,
    promptAccepted: acceptance !== 'unknown',
  });
}

/** The error of a turn that the agent accepted and then reported as failed. */
export function failedTurnError({ code, message, data }: AgentFailure): AcpError {
  // A value of JSON: it was read from a message.
  return remoteError('session/prompt', code, message, data as JsonValue | undefined, {
    promptAccepted: true,
  });
}

/** The agent's error in an error of a call, if the agent answered with one. */
export function failureOf(error: unknown): AgentFailure | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  const { rpcCode, message, agentMessage, data } = error;
  return { code: rpcCode, message, reason: agentMessage, ...(data !== undefined && { data }) };
}
