import type { SubagentInfo } from '../model/conversation.ts';
import type { SubagentUpdate } from '../model/update.ts';
import type { Draft } from './draft.ts';
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
  const { sessionId, title, description, cwd, additionalDirectories, capabilities } = update;
  return {
    sessionId,
    title: title === undefined ? (known?.title ?? null) : title,
    description: description === undefined ? (known?.description ?? null) : description,
    cwd: cwd === undefined ? (known?.cwd ?? null) : cwd,
    additionalDirectories:
      additionalDirectories === undefined ? (known?.additionalDirectories ?? null) : additionalDirectories,
    capabilities: capabilities === undefined ? (known?.capabilities ?? null) : capabilities,
    meta: patchMeta(known?.meta ?? null, update._meta),
  };
}
