import type { LoadProgress } from '../../../client/session/opener.ts';
import type { Conversation } from '../../../model/conversation.ts';
import { withAgent } from '../agent.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../options.ts';
import { updateCounter } from '../print.ts';
import { printConversation } from '../print-conversation.ts';
import { Settling } from '../settling.ts';

/** Loads a session and prints its conversation. If the load fails, prints the part that has arrived. */
export async function transcript(invocation: Invocation, context: Context): Promise<void> {
  const { argument: sessionId, cwd = context.host.cwd(), format, settleMs } = invocation;
  const { output, interrupts } = context;
  const countUpdate = updateCounter(output);
  const settling = new Settling(settleMs);
  const onIncoming = (message: { readonly method?: unknown }) => {
    if (message.method !== 'session/update') return;
    countUpdate();
    settling.restart();
  };
  let loaded: Conversation | undefined;
  let isWhole = false;
  try {
    await withAgent(invocation, context, { onIncoming }, async (connection, options) => {
      // A load that fails leaves an empty conversation.
      const onProgress = ({ session }: LoadProgress) => {
        loaded = session.conversation;
      };
      const session = await connection.loadSession({ sessionId, cwd }, { ...options, onProgress });
      try {
        await settling.wait(connection, interrupts.signal);
      } finally {
        loaded = session.conversation;
      }
    });
    isWhole = true;
  } finally {
    const isPart = !isWhole && loaded !== undefined && loaded.entries.length > 0;
    if (isPart) output.note('The transcript is not whole: it ends where the load did.');
    if (loaded && (isWhole || isPart)) await printConversation(loaded, format, output);
    else output.status('');
  }
}
