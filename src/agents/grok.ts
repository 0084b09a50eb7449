import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import type { SubagentUpdate } from '../core/model/update.ts';
import type { AgentKnowledge, SubagentNotice, TestedAgent } from '../core/protocol/agent-knowledge.ts';

/**
 * The notifications about the sessions of subagents, instead of the protocol's `subagent_update`. The first comes during a
 * turn, and the second in the replay of a load.
 */
const methods: ReadonlySet<string> = new Set(['_x.ai/session_notification', '_x.ai/session/update']);

function subagentNotice(method: string, params: unknown): SubagentNotice | undefined {
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

// Seen in: login methods and traffic of 1.0.41; 2026-11-26
export const grok: AgentKnowledge = {
  names: ['grok-build', 'grok'],
  methodIds: ['grok.com', 'xai.api_key'],
  keyVariables: ['XAI_API_KEY'],
  subagentNotice,
  promptKey: 'promptId',
};

export const grokTested: TestedAgent = {
  id: 'grok-build',
  name: 'Grok',
  package: '@xai-official/grok',
  version: '1.0.41',
  program: 'grok',
  args: ['agent', 'stdio'],
};
