import type { PermissionOption } from '../../model/permission.ts';
import type { PermissionOutcome } from './handlers.ts';

/** The kind of an option of a permission request, independent of its name. */
export type PermissionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/**
 * Returns the option of one kind, as an answer. Returns `undefined` if the agent offers no option of that kind, or
 * several: then only the user can choose.
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
