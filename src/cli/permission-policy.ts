import type { PermissionOutcome } from '../client/handlers.ts';
import type { PermissionOption } from '../model/update.ts';

/** The kinds of options that a policy may choose, the most careful first. */
const kinds = {
  allow: ['allow_once', 'allow_always'],
  reject: ['reject_once', 'reject_always'],
} as const;

export type Policy = keyof typeof kinds;

/** What a policy chose, or why it could not. */
export type PolicyChoice =
  | { readonly outcome: PermissionOutcome }
  | { readonly outcome: { readonly outcome: 'cancelled' }; readonly why: string };

/**
 * Chooses among the options by their kinds, for ids and places say nothing. Where two options are of the same kind,
 * what they differ in is for a person to read: then neither is chosen.
 */
export function chooseByKind(policy: Policy, options: readonly PermissionOption[]): PolicyChoice {
  for (const kind of kinds[policy]) {
    const [option, another] = options.filter((candidate) => candidate.kind === kind);
    if (!option) continue;
    if (another) return cancelled(`several options are of the kind ${kind}`);
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return cancelled(`no option is of the kind ${kinds[policy].join(' or ')}`);
}

function cancelled(why: string): PolicyChoice {
  return { outcome: { outcome: 'cancelled' }, why };
}
