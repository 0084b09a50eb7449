import type { PermissionRequest } from './handlers.ts';

// What every dialog for the agent's questions says.

/** The title of a permission request, or else of its tool call. */
export function permissionTitle({ title, toolCall }: PermissionRequest): string {
  return title ?? toolCall?.title ?? 'Allow the agent to continue?';
}

/** Why a call was not sent again: the agent asked for a login, and the user cancelled it. */
export const loginCancelled = 'The agent needs a login, and the login was cancelled. Log in first.';
