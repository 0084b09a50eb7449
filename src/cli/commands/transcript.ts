import type { ClientConnection } from '../../client/connection.ts';
import type { LoadProgress } from '../../client/session/open.ts';
import type { Conversation } from '../../model/conversation.ts';
import { IdleTimer, onAbort } from '../../wait.ts';
import { withAgent } from '../agent.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../options.ts';
import { Progress, printConversation } from '../print.ts';

/** Limit on the wait for the end of a replay, in milliseconds. */
const maxSettleMs = 30_000;

/** Loads a session and prints its conversation. If the load fails, prints the part that has arrived. */
export async function transcript(invocation: Invocation, context: Context): Promise<void> {
  const { argument: sessionId, cwd = context.host.cwd(), format, settleMs } = invocation;
  const { output, interrupts } = context;
  const progress = new Progress(output);
  const settling = new Settling(settleMs);
  const onIncoming = (message: { readonly method?: unknown }) => {
    progress.count(message);
    if (message.method === 'session/update') settling.restart();
  };
  let loaded: Conversation | undefined;
  let isWhole = false;
  try {
    await withAgent(invocation, context, { onIncoming }, async (connection, options) => {
      // A load that fails leaves an empty conversation.
      const onProgress = ({ session }: LoadProgress) => {
        loaded = session.conversation.getSnapshot();
      };
      const session = await connection.loadSession({ sessionId, cwd }, { ...options, onProgress });
      try {
        await settling.wait(connection, interrupts.signal);
      } finally {
        loaded = session.conversation.getSnapshot();
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

/** Waits until no update has come for a while: some agents answer a load before the replay is complete. */
class Settling {
  readonly #settleMs: number;
  readonly #idle: IdleTimer;
  readonly #settled: Promise<void>;
  #settle = () => {};

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#idle = new IdleTimer(settleMs, () => this.#settle());
  }

  /** An update came. */
  restart(): void {
    this.#idle.restart();
  }

  /** @throws the error of a connection that failed meanwhile, or the reason of `signal`. */
  async wait(connection: ClientConnection, signal: AbortSignal): Promise<void> {
    if (this.#settleMs === 0) return;
    const limit = setTimeout(this.#settle, Math.max(maxSettleMs, this.#settleMs));
    const stopListening = onAbort(signal, this.#settle);
    this.#idle.start();
    try {
      const end = await Promise.race([connection.closed, this.#settled]);
      signal.throwIfAborted();
      // An agent may exit when the replay is complete.
      if (end?.error && end.exit?.exitCode !== 0) throw end.error;
    } finally {
      clearTimeout(limit);
      stopListening();
      this.#idle.stop();
    }
  }
}
