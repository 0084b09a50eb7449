import type { PermissionOption } from '../../model/permission.ts';
import type { PermissionOutcome } from './handlers.ts';

/** The kind of an option of a permission request, independent of its name. */
export type PermissionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/**
 * Returns the option of one kind, as an answer. Returns `undefined` if the agent offers no option of that kind or
 * several, or gives another option the same id: then only the user can choose.
 *
 * @example
 * ```ts
 * const requestPermission = ({ options }: PermissionRequest) =>
 *   choosePermissionOption(options, 'reject_once') ?? { outcome: 'cancelled' as const };
 * ```
 */
export function choosePermissionOption(
  options: readonly PermissionOption[],
  kind: PermissionKind,
): Extract<PermissionOutcome, { readonly outcome: 'selected' }> | undefined {
  const [only, ...others] = options.filter((option) => option.kind === kind);
  if (!only || others.length > 0) return undefined;
  const { optionId } = only;
  const isUnique = options.filter((option) => option.optionId === optionId).length === 1;
  return isUnique ? { outcome: 'selected', optionId } : undefined;
}
