import type { Conversation } from '../model/conversation.ts';
import type { TransportEnd } from '../transport/transport.ts';
import { withAgent } from './agent.ts';
import type { Invocation } from './arguments.ts';
import { callOptions } from './call-options.ts';
import type { Context } from './context.ts';
import { printConversation } from './print-conversation.ts';
import { Progress } from './progress.ts';
import { Quiet } from './quiet.ts';

/** However long an agent goes on about a session that it has loaded, this is the end of it. */
const maxSettleMs = 30_000;

/** Loads a session, and prints what was said in it. Of a load that fails it prints what had come by then, if anything. */
export async function transcript(invocation: Invocation, context: Context): Promise<void> {
  const { argument: sessionId, cwd = context.host.cwd(), format, settleMs } = invocation;
  const progress = new Progress(context.output);
  const quiet = new Quiet();
  const onIncoming = (message: { readonly method?: unknown }) => {
    progress.count(message);
    if (message.method === 'session/update') quiet.disturb();
  };
  let said: Conversation | undefined;
  let isWhole = false;
  try {
    await withAgent(invocation, context, { onIncoming }, async (connection) => {
      const loading = connection.loadSession({ sessionId, cwd }, callOptions(invocation, context));
      // It is there while it is loaded, and not after a load that failed.
      const [session] = connection.sessions;
      try {
        await loading;
        // Agents in the field answer before the whole replay is out.
        const settled = quiet.wait(settleMs, Math.max(maxSettleMs, settleMs), context.interrupts.signal);
        const ended = connection.closed.then((end) => {
          quiet.stop();
          return end;
        });
        const { error, exit } = await Promise.race([ended, settled.then((): TransportEnd => ({}))]);
        context.interrupts.signal.throwIfAborted();
        // An agent may leave when it has said all.
        if (error && exit?.exitCode !== 0) throw error;
      } finally {
        said = session?.conversation.getSnapshot();
      }
    });
    isWhole = true;
  } finally {
    progress.stop();
    const isPart = !isWhole && said !== undefined && said.entries.length > 0;
    if (isPart) context.output.note('The transcript is not whole: it ends where the loading did.');
    if (said && (isWhole || isPart)) await printConversation(said, format, context.output);
  }
}
