import { isJsonObject } from '../../base/json.ts';
import type { ConversationUpdate } from '../../model/update.ts';

/** What the answer to a request by its name changes in the conversation of the session that its parameters name. */
export function updateOfAnswer(method: string, answer: unknown): ConversationUpdate | undefined {
  if (method !== 'session/set_title' || !isJsonObject(answer)) return undefined;
  // The agent may store another title than the one that it was asked for.
  const { title } = answer;
  return typeof title === 'string' ? { sessionUpdate: 'session_info_update', title } : undefined;
}
