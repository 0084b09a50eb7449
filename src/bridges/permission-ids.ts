import type { PermissionOption } from '../model/permission.ts';

const ids = new WeakMap<readonly PermissionOption[], string>();
let count = 0;

/**
 * The id of an open permission request, by its list of options. The protocol gives none, and a tool call can ask more
 * than once: with an id for each request, an answer that comes late does not answer the next one.
 */
export function permissionId(options: readonly PermissionOption[]): string {
  const id = ids.get(options) ?? `permission-${++count}`;
  ids.set(options, id);
  return id;
}

/** The id of a tool call in a chat, by the key of its entry: the agent's, or the key where the agent's came before. */
export function callIdOf(key: string): string {
  return key.replace(/^tool:/, '');
}
