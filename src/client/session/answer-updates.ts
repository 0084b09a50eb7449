import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ConversationUpdate } from '../../model/update.ts';

/** What the answer to a method changes in the conversation of the session that its parameters name. */
const updates: ReadonlyMap<string, (answer: JsonObject) => ConversationUpdate | undefined> = new Map([
  // The agent may store another title than the one that it was asked for.
  [
    'session/set_title',
    ({ title }) => (typeof title === 'string' ? { sessionUpdate: 'session_info_update', title } : undefined),
  ],
]);

/** The update that follows from the answer to a request that was made by its name. */
export function updateOfAnswer(method: string, answer: unknown): ConversationUpdate | undefined {
  return isJsonObject(answer) ? updates.get(method)?.(answer) : undefined;
}
