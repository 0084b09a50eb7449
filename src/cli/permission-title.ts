import type { PermissionRequest } from '../client/handlers.ts';
import { cleanLine } from '../render/clean.ts';

/** What permission is asked for, on one line. */
export function titleOf({ title, toolCall }: PermissionRequest): string {
  return cleanLine(title ?? toolCall?.title ?? toolCall?.name ?? 'something that it does not name');
}
