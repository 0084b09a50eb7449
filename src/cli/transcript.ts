import { withAgent } from './agent.ts';
import type { Invocation } from './arguments.ts';
import { callOptions } from './call-options.ts';
import type { Context } from './context.ts';
import { printConversation } from './print-conversation.ts';
import { Progress } from './progress.ts';
import { Quiet } from './quiet.ts';

/** However long an agent goes on about a session that it has loaded, this is the end of it. */
const maxSettleMs = 30_000;

/** Loads a session, and prints what was said in it. */
export async function transcript(invocation: Invocation, context: Context): Promise<void> {
  const { argument: sessionId, cwd = context.host.cwd(), format, settleMs } = invocation;
  const progress = new Progress(context.output);
  const quiet = new Quiet();
  const onIncoming = (message: { readonly method?: unknown }) => {
    progress.count(message);
    if (message.method === 'session/update') quiet.disturb();
  };
  try {
    const conversation = await withAgent(invocation, context, { onIncoming }, async (connection) => {
      const session = await connection.loadSession({ sessionId, cwd }, callOptions(invocation, context));
      // Agents in the field answer before the whole replay is out.
      await Promise.race([
        quiet.wait(settleMs, Math.max(maxSettleMs, settleMs), context.interrupts.signal),
        connection.closed,
      ]);
      context.interrupts.signal.throwIfAborted();
      return session.conversation.getSnapshot();
    });
    progress.stop();
    await printConversation(conversation, format, context.output);
  } finally {
    progress.stop();
  }
}
