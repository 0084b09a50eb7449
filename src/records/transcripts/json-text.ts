import type { Conversation } from '../../core/model/conversation.ts';
import { macrotask } from '../../core/transport/macrotask.ts';

/** How many characters are written as JSON before other work of the program has its turn. */
const sliceLength = 512 * 1024;

/** The JSON text of a conversation. A long one is written in several turns of the event loop, so that nothing waits. */
export async function jsonText(conversation: Conversation): Promise<string> {
  const { entries, terminals, ...fields } = conversation;
  const pieces: string[] = [JSON.stringify(fields).slice(0, -1), ',"entries":['];
  let length = 0;
  const add = async (piece: string) => {
    pieces.push(piece);
    length += piece.length;
    if (length < sliceLength) return;
    length = 0;
    await new Promise<void>((resolve) => macrotask(resolve));
  };
  for (const [index, entry] of entries.entries())
    await add(`${index > 0 ? ',' : ''}${JSON.stringify(entry)}`);
  pieces.push('],"terminals":{');
  for (const [index, [id, terminal]] of Object.entries(terminals).entries())
    await add(`${index > 0 ? ',' : ''}${JSON.stringify(id)}:${JSON.stringify(terminal)}`);
  pieces.push('}}');
  return pieces.join('');
}
