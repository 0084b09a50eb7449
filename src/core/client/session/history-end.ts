import type { AgentKnowledge } from '../../protocol/agent-knowledge.ts';
import type { SessionEvent } from './machine/events.ts';
import { awaited } from './machine/replay.ts';
import type { SessionState } from './machine/state.ts';

/**
 * Takes a notification with which only this agent ends a history. It does not name the session: each one that waits has
 * its history. Returns whether it was one.
 */
export function takeHistoryEnd(
  { replayEnd }: AgentKnowledge,
  method: string,
  params: unknown,
  sessions: Iterable<{ readonly state: SessionState; dispatch(event: SessionEvent): void }>,
): boolean {
  if (replayEnd?.method !== method || Object(params).kind !== replayEnd.kind) return false;
  for (const session of sessions) {
    if (awaited.has(session.state.history.is))
      session.dispatch({ type: 'update', update: { sessionUpdate: 'replay_complete' } });
  }
  return true;
}

/** Whether the history comes with the next prompt: none has come, and the agent says when it is complete. */
export function isHistoryDue(
  { replayEnd }: AgentKnowledge,
  session: { readonly hasReplay: boolean },
): boolean {
  return replayEnd !== undefined && !session.hasReplay;
}
