import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { Connection } from './connection.ts';
import { openSessionOf } from './connection.ts';
import type { PermissionQuestion } from './encoder.ts';
import type { SessionEvent } from './event.ts';
import type { Method } from './methods.ts';
import type { OpenSession } from './open-session.ts';
import { aborted } from './open-session.ts';
import { promptText, readPrompt } from './params.ts';
import type { Reply } from './peer.ts';
import type { PermissionAnswer, Stage } from './perform.ts';
import { perform } from './perform.ts';
import { RpcError, rpcErrors } from './rpc-error.ts';
import type { Act } from './script.ts';
import { scriptFor, titleOf } from './script.ts';

/** Version 1: the answer ends the turn. The client shows its own prompt, so it is not sent back. */
export const promptV1: Method = async (connection, params, cancelled) => {
  try {
    const turn = await beginTurn(connection, params, cancelled);
    try {
      turn.session.remember(turn.userMessage);
      return { result: { stopReason: await finishTurn(turn) } };
    } finally {
      turn.leave();
    }
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcErrors.cancelled().code) {
      return { result: { stopReason: 'cancelled' } };
    }
    throw error;
  }
};

/** Version 2: the answer says that the prompt is in; how the turn goes on is told by its state. */
export const promptV2: Method = async (connection, params, cancelled): Promise<Reply> => {
  const turn = await beginTurn(connection, params, cancelled);
  const { session } = turn;
  void session.emit(turn.userMessage);
  const run = async (): Promise<void> => {
    try {
      await session.emit({ type: 'state', state: 'running' });
      const stopReason = await finishTurn(turn);
      await session.emit({ type: 'state', state: 'idle', stopReason });
    } catch (cause) {
      // The prompt is in and answered: from here on the state alone can tell of a failure.
      const error = { code: -32603, message: cause instanceof Error ? cause.message : String(cause) };
      await session.emit({ type: 'state', state: 'idle', stopReason: 'error', error });
    } finally {
      turn.leave();
    }
  };
  return { result: { messageId: turn.userMessage.messageId }, afterwards: () => void run() };
};

interface PromptTurn extends Stage {
  readonly acts: readonly Act[];
  readonly userMessage: Extract<SessionEvent, { type: 'message' }>;
  leave(): void;
}

/** Waits until it is this prompt's turn. Throws where the prompt is refused, and must then leave nothing behind. */
async function beginTurn(
  connection: Connection,
  params: JsonObject,
  cancelled: AbortSignal,
): Promise<PromptTurn> {
  const session = openSessionOf(connection, params);
  const content = readPrompt(params);
  const script = scriptFor(promptText(content));
  const { signal, leave } = await session.enterTurn(cancelled);
  try {
    if (script.ending === 'error') throw rpcErrors.internal(script.message);
    if (script.ending === 'silence') {
      await aborted(session.closing);
      throw rpcErrors.cancelled();
    }
  } catch (error) {
    leave();
    throw error;
  }
  return {
    session,
    signal,
    leave,
    acts: script.acts,
    userMessage: { type: 'message', role: 'user', messageId: `message-${session.nextNumber}`, content },
    ask: (question) => askPermission(connection, session, question, signal),
    crash: connection.crash,
  };
}

async function finishTurn(turn: PromptTurn): ReturnType<typeof perform> {
  const { session, acts, userMessage } = turn;
  session.save();
  try {
    return await perform(turn, acts);
  } finally {
    const title = session.stored.title ?? titleOf(promptText(userMessage.content));
    await session.emit({ type: 'info', title, updatedAt: session.nextTime() });
    session.save();
  }
}

const permissionOptions = [
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Allow from now on', kind: 'allow_always' },
  { optionId: 'refused', name: 'Refuse', kind: 'reject_once' },
] as const;

/** Whatever is not clearly a yes is a no. */
async function askPermission(
  { peer, encoder }: Connection,
  { stored }: OpenSession,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const params = { sessionId: stored.sessionId, ...encoder.permission(question), options: permissionOptions };
  const result = await peer.request('session/request_permission', params, signal);
  const optionId = selectedOption(result);
  return permissionOptions.find((option) => option.optionId === optionId)?.optionId ?? 'refused';
}

function selectedOption(result: JsonValue | undefined): JsonValue | undefined {
  const outcome = isJsonObject(result) ? result['outcome'] : undefined;
  return isJsonObject(outcome) && outcome['outcome'] === 'selected' ? outcome['optionId'] : undefined;
}
