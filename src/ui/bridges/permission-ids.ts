import type { PermissionOption } from '../../core/model/permission.ts';

const ids = new WeakMap<readonly PermissionOption[], string>();

/**
 * The id of an open permission request, by its list of options. The protocol gives none, and a tool call can ask more
 * than once: with an id for each request, an answer that comes late does not answer the next one. It is random, because
 * a page can be older than this process. `randomUUID` is missing in pages that came over plain HTTP.
 */
export function permissionId(options: readonly PermissionOption[]): string {
  const id = ids.get(options) ?? `permission-${crypto.getRandomValues(new Uint32Array(4)).join('')}`;
  ids.set(options, id);
  return id;
}

/** The id of a tool call in a chat, by the key of its entry: the agent's, or the key where the agent's came before. */
export function callIdOf(key: string): string {
  return key.replace(/^tool:/, '');
}
