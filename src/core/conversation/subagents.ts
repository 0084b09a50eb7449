import type { SubagentInfo } from '../model/conversation.ts';
import type { SubagentUpdate } from '../model/update.ts';
import { carried, type Draft } from './draft.ts';
import { patchMeta } from './meta.ts';

/** How many subagents a session can have. The updates of further ones are dropped. */
export const maxSubagents = 1000;

/** Changes or adds a session that works for this one. What it does is in its own conversation. */
export function subagentUpdate(draft: Draft, update: SubagentUpdate): void {
  const known = draft.fields.subagents ?? [];
  const index = known.findIndex(({ sessionId }) => sessionId === update.sessionId);
  if (index === -1 && known.length >= maxSubagents) return;
  const subagent = patchSubagent(known[index], update);
  draft.set('subagents', index === -1 ? [...known, subagent] : known.with(index, subagent));
}

/** Applies an update to a subagent, or makes a new one. */
export function patchSubagent(known: SubagentInfo | undefined, update: SubagentUpdate): SubagentInfo {
  const { sessionId } = update;
  const none = { title: null, description: null, cwd: null, additionalDirectories: null, capabilities: null };
  const said = carried(update, ['title', 'description', 'cwd', 'additionalDirectories', 'capabilities']);
  return { sessionId, ...(known ?? none), ...said, meta: patchMeta(known?.meta ?? null, update._meta) };
}
