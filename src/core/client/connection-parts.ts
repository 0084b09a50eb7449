import type { Link } from './calls/link.ts';
import type { ClientHandlers } from './requests/handlers.ts';
import type { MessageRouter } from './requests/index.ts';
import type { Restarter } from './restarter.ts';
import type { OpenerParts } from './session/opener.ts';

/** What a connection is made of. */
export interface ConnectionParts extends OpenerParts {
  readonly link: Link;
  readonly router: MessageRouter;
  /** How the agent is started again; absent where it is not. */
  readonly restarter: Restarter | undefined;
}

/** The options of a connection that need code which most connections do without. */
interface Wishes {
  readonly handlers?: ClientHandlers | undefined;
  readonly reconnect?: object | undefined;
  readonly trace?: object | undefined;
}

/** Loads what the options need. To be called before the start: after it, the connection has to exist at once. */
export async function loadParts({ handlers = {}, reconnect, trace }: Wishes) {
  const [elicitation, terminals, restarting, tracing] = await Promise.all([
    handlers.elicit && import('./requests/elicitation.ts'),
    handlers.terminals && import('./requests/terminals.ts'),
    reconnect && import('./restarter.ts'),
    trace && import('../trace/trace.ts'),
  ]);
  return { elicitation, terminals, restarting, tracing };
}
