import type { Session } from '../../client/session/session.ts';
import { TimeoutError } from '../../errors.ts';
import type { Conversation } from '../../model/conversation.ts';
import { nodeFileSystem } from '../../node/file-system.ts';
import { IdleTimer, onAbort } from '../../wait.ts';
import { withAgent } from '../agent.ts';
import { type Context, interrupted } from '../context.ts';
import { LiveTranscript } from '../live.ts';
import type { Invocation } from '../options.ts';
import { permissionHandler } from '../permission.ts';
import { Progress, printConversation } from '../print.ts';

/** Prompts the agent in a new session and prints the conversation. If the turn fails, prints the part that has arrived. */
export async function prompt(invocation: Invocation, context: Context): Promise<void> {
  const { argument: text, cwd = context.host.cwd(), format, permit, timeoutMs } = invocation;
  const { output, interrupts } = context;
  const live = format === 'text' && output.isTerminal ? new LiveTranscript(output) : undefined;
  const progress = new Progress(output);
  const abort = new AbortController();
  const idle = new IdleTimer(timeoutMs ?? Number.POSITIVE_INFINITY, () => abort.abort(idleError(timeoutMs)));
  const handlers = {
    requestPermission: permissionHandler(permit, context, [idle, live ?? progress]),
    ...nodeFileSystem({ roots: [cwd] }),
  };
  const onIncoming = (message: { readonly method?: unknown }) => {
    idle.restart();
    if (!live) progress.count(message);
  };
  let conversation: Conversation | undefined;
  let isDone = false;
  const stopListening = onAbort(interrupts.signal, () => abort.abort(interrupts.signal.reason));
  try {
    await withAgent(invocation, context, { handlers, onIncoming }, async (connection, options) => {
      const session = await connection.newSession({ cwd }, options);
      session.conversation.subscribe(() => live?.show(session.conversation.getSnapshot()));
      idle.start();
      try {
        await takeTurn(session, text, abort.signal, context);
      } finally {
        idle.stop();
        conversation = session.conversation.getSnapshot();
      }
    });
    isDone = true;
  } finally {
    stopListening();
    if (!conversation || !(isDone || hasAnswer(conversation))) output.status('');
    else if (live) await live.finish(conversation);
    else await printConversation(conversation, format, output);
  }
}

function idleError(timeoutMs = 0): TimeoutError {
  const message = `The agent said nothing for ${timeoutMs} ms.`;
  return new TimeoutError(message, { method: 'session/prompt', timeoutMs });
}

async function takeTurn(
  session: Session,
  text: string,
  signal: AbortSignal,
  { interrupts, output }: Context,
): Promise<void> {
  let isCancelled = false;
  const stopCatching = interrupts.catchNext(() => {
    isCancelled = true;
    output.note('\nCancelling the turn. Press Ctrl-C again to exit at once.');
    // If the agent has exited, the prompt rejects with the reason.
    session.cancel().catch(() => {});
  });
  try {
    await session.prompt(text, { signal });
  } finally {
    stopCatching();
  }
  if (isCancelled) throw interrupted();
}

function hasAnswer({ entries }: Conversation): boolean {
  return entries.some((entry) => entry.kind !== 'turnFailure' && !('role' in entry && entry.role === 'user'));
}
