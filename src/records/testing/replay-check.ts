import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';

/** Follows the replays that a script sends. What is wrong is returned as a reason. */
export function replayChecks({ name, agentMethods }: Dialect) {
  // The other dialects have no end of a replay, or do not require it.
  const isRequired = name === 'v2-baseline';
  /** Whether the end of the history is due, or has come, by the session of a request that is not answered yet. */
  const replays = new Map<string, 'due' | 'complete'>();
  const subagents = new Set<string>();
  const isReplayed = (method: string, params: JsonObject) =>
    isRequired && Object.hasOwn(agentMethods, method) && agentMethods[method]?.replays?.(params) === true;
  const endOf = (params: JsonObject) => {
    const sessionId = String(params['sessionId']);
    const replay = replays.get(sessionId);
    replays.delete(sessionId);
    return replay;
  };
  return {
    requested(method: string, params: JsonObject): void {
      if (isReplayed(method, params)) replays.set(String(params['sessionId']), 'due');
    },
    update({ sessionId, update }: JsonObject): string | undefined {
      if (!isRequired || !isJsonObject(update)) return undefined;
      const { sessionUpdate, sessionId: subagent } = update;
      if (sessionUpdate === 'subagent_update') subagents.add(String(subagent));
      // A subagent that is announced meanwhile has an end of its own.
      if (sessionUpdate !== 'replay_complete' || subagents.has(String(sessionId))) return undefined;
      const replay = replays.get(String(sessionId));
      if (replay === undefined) return 'the client did not ask for a replay of this session';
      if (replay === 'complete') return 'it was sent already for this request';
      replays.set(String(sessionId), 'complete');
      return undefined;
    },
    answered(method: string, params: JsonObject): string | undefined {
      if (!isReplayed(method, params) || endOf(params) !== 'due') return undefined;
      return 'the update replay_complete must come before it, after the history';
    },
    refused: (method: string, params: JsonObject): void => {
      if (isReplayed(method, params)) endOf(params);
    },
  };
}
