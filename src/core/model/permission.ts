import type { JsonObject } from '../base/json.ts';

/** An open permission request. */
export interface PendingPermission {
  readonly title: string | null;
  readonly description: string | null;
  readonly options: readonly PermissionOption[];
}

/** An option of a permission request. */
export interface PermissionOption {
  /** Opaque. Choose an option by its `kind`, not by its id or position. */
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | (string & {});
  readonly _meta?: JsonObject | null;
}
