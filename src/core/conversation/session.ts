import { isJsonObject, type JsonObject, omitNullish } from '../base/json.ts';
import type { PendingMessagesUpdate } from '../model/client-update.ts';
import type {
  CurrentModeUpdate,
  PromptSuggestionsUpdate,
  SessionInfoUpdate,
  StateUpdate,
  UsageUpdate,
} from '../model/update.ts';
import { carried, type Draft } from './draft.ts';

/** Replaces the activity. Other updates do not change it. */
export function stateUpdate(
  draft: Draft,
  { state, stopReason, error, usage, background, _meta }: StateUpdate,
): void {
  const reported = omitNullish({ error, usage, background, _meta });
  draft.set('activity', { state, stopReason: stopReason ?? null, ...reported });
}

export function currentModeUpdate(draft: Draft, { currentModeId }: CurrentModeUpdate): void {
  draft.set('modes', { availableModes: [], ...draft.fields.modes, currentModeId });
}

export function sessionInfoUpdate(draft: Draft, update: SessionInfoUpdate): void {
  const { info, meta } = draft.fields;
  draft.set('info', { ...info, ...carried(update, ['title', 'updatedAt']) });
  draft.set('meta', draft.patchMeta(meta, update._meta));
}

export function usageUpdate(draft: Draft, { used, size, cost, _meta }: UsageUpdate): void {
  const known = draft.fields.usage;
  const meta = _meta === null ? null : withLimitsOf(known?._meta, _meta);
  draft.set('usage', {
    used,
    size,
    cost: cost === undefined ? (known?.cost ?? null) : cost,
    ...(meta && { _meta: meta }),
  });
}

/**
 * The metadata of a usage, with the limits of the user's plan that an earlier one reported: agents send the tokens often, and
 * the limits with some of them. Each agent has its own key for them. It names them, or its value does.
 */
function withLimitsOf(before: JsonObject | undefined, after: JsonObject | undefined): JsonObject | undefined {
  const limits = Object.entries(before ?? {}).filter(
    ([key, value]) => namesLimits(key) || (isJsonObject(value) && Object.keys(value).some(namesLimits)),
  );
  return limits.length === 0 ? after : { ...Object.fromEntries(limits), ...after };
}

function namesLimits(key: string): boolean {
  return /rate_?limit/i.test(key);
}

/** Replaces the messages that wait. The snapshot does not have an empty list. */
export function pendingMessages(draft: Draft, { messages }: PendingMessagesUpdate): void {
  const { pendingMessages: known = [] } = draft.fields;
  if (known.length > 0 || messages.length > 0) draft.set('pendingMessages', messages);
}

/** Replaces what the agent suggests. */
export function promptSuggestionsUpdate(draft: Draft, { suggestions }: PromptSuggestionsUpdate): void {
  const known = suggestions.map(({ prompt, _meta }) => ({ prompt, meta: _meta ?? null }));
  draft.set('suggestions', known);
}
