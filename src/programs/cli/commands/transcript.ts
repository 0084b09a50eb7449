import { deferred, IdleTimer, withLimits } from '../../../core/base/wait.ts';
import type { CallOptions } from '../../../core/client/calls/call-options.ts';
import type { ClientConnection } from '../../../core/client/connection.ts';
import type { LoadProgress } from '../../../core/client/session/opener.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import { countText } from '../../../core/render/facts.ts';
import { showWhile } from '../activity.ts';
import { withAgent } from '../agent.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { printConversation } from '../turn-output.ts';

/** Limit on the wait for updates after the answer, in milliseconds. */
const maxSettleMs = 30_000;

/** Loads a session and prints its conversation. If the load fails, prints the part that has arrived. */
export async function transcript(invocation: Invocation, context: Context): Promise<void> {
  const { argument: sessionId, cwd = context.host.cwd(), format, settleMs } = invocation;
  const { output, interrupts } = context;
  let updates = 0;
  const settled = deferred();
  // Some agents answer before the replay is complete.
  const idle = new IdleTimer(settleMs, settled.resolve);
  const onIncoming = ({ method }: { readonly method?: unknown }) => {
    if (method !== 'session/update') return;
    updates++;
    idle.restart();
  };
  let loaded: Conversation | undefined;
  const load = async (connection: ClientConnection, options: CallOptions) => {
    // A load that fails leaves an empty conversation.
    const onProgress = ({ session }: LoadProgress) => {
      loaded = session.conversation;
    };
    const session = await connection.loadSession({ sessionId, cwd }, { ...options, onProgress });
    idle.start();
    const limit = setTimeout(settled.resolve, Math.max(maxSettleMs, settleMs));
    try {
      const { signal } = interrupts;
      const ended = Promise.race([connection.closed, settled.promise]);
      const end = settleMs === 0 ? undefined : await withLimits(ended, { signal });
      // An agent may exit when the replay is complete.
      if (end?.error && end.exit?.exitCode !== 0) throw end.error;
    } finally {
      loaded = session.conversation;
      clearTimeout(limit);
      idle.stop();
    }
  };
  const progress = () => `Loading, ${countText(updates)} updates`;
  try {
    await withAgent(invocation, context, { onIncoming }, (connection, options) =>
      showWhile(context, progress, load(connection, options)),
    );
  } catch (error) {
    if (loaded && loaded.entries.length > 0) {
      output.note('The transcript is not whole: it ends where the load did.');
      await printConversation(loaded, format, output);
    }
    throw error;
  }
  if (loaded) await printConversation(loaded, format, output);
}
