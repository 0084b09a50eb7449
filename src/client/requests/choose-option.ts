import type { PermissionOption } from '../../model/permission.ts';
import type { PermissionOutcome } from './handlers.ts';

/** What a person may answer to a permission request, whatever the agent calls its options. */
export type PermissionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/**
 * The option of one kind, as an answer. Gives nothing where the agent offers none of that kind, or more than one:
 * several options of a kind are a question with several answers, and only the user can choose.
 *
 * @example
 * ```ts
 * const requestPermission = ({ options }: PermissionRequest) =>
 *   chooseOption(options, 'reject_once') ?? { outcome: 'cancelled' as const };
 * ```
 */
export function chooseOption(
  options: readonly PermissionOption[],
  kind: PermissionKind,
): Extract<PermissionOutcome, { readonly outcome: 'selected' }> | undefined {
  const [only, ...others] = options.filter((option) => option.kind === kind);
  return only && others.length === 0 ? { outcome: 'selected', optionId: only.optionId } : undefined;
}
