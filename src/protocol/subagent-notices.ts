import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { SubagentUpdate } from '../model/update.ts';

/**
 * The notifications with which an agent tells of the sessions of its subagents, instead of the protocol's
 * `subagent_update`. `_x.ai/session_notification` comes during a turn, and `_x.ai/session/update` in the replay of a load.
 * Seen with grok 1.0.41 on 2026-11-26: test/fixtures/traffic has its traffic.
 */
const methods: ReadonlySet<string> = new Set(['_x.ai/session_notification', '_x.ai/session/update']);

/** What a notification tells of a subagent, as the update that the protocol has for it. */
export interface SubagentNotice {
  /** The session that the subagent works for. */
  readonly sessionId: string;
  readonly update: SubagentUpdate;
}

/** Reads a notification. `undefined`: it tells nothing of a subagent. */
export function subagentNotice(method: string, params: unknown): SubagentNotice | undefined {
  if (!methods.has(method) || !isJsonObject(params)) return undefined;
  const { sessionId, update } = params;
  if (typeof sessionId !== 'string' || !isJsonObject(update)) return undefined;
  const told = read.get(update['sessionUpdate'])?.(update);
  const child = update['child_session_id'];
  if (!told || typeof child !== 'string') return undefined;
  return { sessionId, update: { sessionUpdate: 'subagent_update', sessionId: child, ...told } };
}

type Told = Omit<SubagentUpdate, 'sessionUpdate' | 'sessionId'>;

const read: ReadonlyMap<unknown, (update: JsonObject) => Told> = new Map([
  [
    'subagent_spawned',
    ({ description, subagent_type: type }): Told => ({
      title: typeof description === 'string' ? description : null,
      state: { state: 'running' },
      ...(typeof type === 'string' && { _meta: { subagentType: type } }),
    }),
  ],
  [
    'subagent_finished',
    ({ status }): Told => ({ state: { state: 'idle', stopReason: stopReasons.get(status) ?? null } }),
  ],
]);

/** A status that is not here has no stop reason in the protocol. Only `completed` was seen. */
const stopReasons: ReadonlyMap<unknown, string> = new Map([
  ['completed', 'end_turn'],
  ['cancelled', 'cancelled'],
]);
