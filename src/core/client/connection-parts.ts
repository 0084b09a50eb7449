import type { Link } from './calls/link.ts';
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
