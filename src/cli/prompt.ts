import type { Session } from '../client/session.ts';
import type { Conversation } from '../model/conversation.ts';
import { nodeFileSystem } from '../node/file-system.ts';
import { withAgent } from './agent.ts';
import type { Invocation } from './arguments.ts';
import { callOptions } from './call-options.ts';
import type { Context } from './context.ts';
import { Interrupted } from './interrupts.ts';
import { permissionHandler } from './permissions.ts';
import { SilenceWatch } from './silence.ts';
import { TurnFailed } from './turn-failed.ts';
import { viewOf } from './view.ts';

/**
 * Says something in a new session, and prints the answer. Of a turn that fails it prints what the agent had said by
 * then, if anything.
 */
export async function prompt(invocation: Invocation, context: Context): Promise<void> {
  const { argument: text, cwd = context.host.cwd(), format, permit, timeoutMs } = invocation;
  const view = viewOf(format, context.output);
  const silence = new SilenceWatch(timeoutMs, context.interrupts.signal);
  const surroundings = {
    pause() {
      silence.pause();
      view.pause();
    },
    resume() {
      view.resume();
      silence.resume();
    },
  };
  const handlers = {
    requestPermission: permissionHandler(permit, context, surroundings),
    ...nodeFileSystem({ roots: [cwd] }),
  };
  const onIncoming = (message: { readonly method?: unknown }) => {
    silence.heard();
    view.count(message);
  };
  let said: Conversation | undefined;
  let isDone = false;
  try {
    await withAgent(invocation, context, { handlers, onIncoming }, async (connection) => {
      const session = await connection.newSession({ cwd }, callOptions(invocation, context));
      const { conversation } = session;
      conversation.subscribe(() => view.show(conversation.getSnapshot()));
      try {
        await takeTurn(session, text, silence, context);
      } finally {
        said = conversation.getSnapshot();
      }
    });
    isDone = true;
  } finally {
    if (said && (isDone || hasAnswer(said))) await view.finish(said);
    else view.dismiss();
  }
}

async function takeTurn(
  session: Session,
  text: string,
  silence: SilenceWatch,
  { interrupts, output }: Context,
): Promise<void> {
  let isCancelled = false;
  const restore = interrupts.before(() => {
    isCancelled = true;
    output.note('\nCancelling the turn. Ctrl-C again leaves at once.');
    // An agent that has gone ends the turn by itself.
    session.cancel().catch(() => {});
  });
  silence.start();
  try {
    await session.prompt(text, { signal: silence.signal });
  } finally {
    silence.stop();
    restore();
  }
  const { activity } = session.conversation.getSnapshot();
  if (isCancelled) throw new Interrupted();
  if (activity.stopReason === 'error') throw new TurnFailed(activity);
}

function hasAnswer({ entries }: Conversation): boolean {
  return entries.some((entry) => entry.kind !== 'message' || entry.role !== 'user');
}
