import type { ConversationChange } from '../timeline/items.ts';

/** Stands for the plans of a conversation where an entry is named by its key. Plans are beside the entries. */
export const plansKey = '(plans)';

/** The keys of the entries that a change adds or changes, with the one of the plans. */
export function changedKeys({ entries, patch }: ConversationChange): readonly string[] {
  const changesPlans = patch.some((operation) => operation.op !== 'output' && operation.path[0] === 'plans');
  return changesPlans ? [...entries, plansKey] : entries;
}
