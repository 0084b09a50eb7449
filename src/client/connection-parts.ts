import type { DiagnosticListener } from '../base/diagnostic.ts';
import type { Caller } from './calls/calls.ts';
import type { Link } from './calls/link.ts';
import type { Restarter } from './reconnect.ts';
import type { MessageRouter } from './requests/index.ts';
import type { ProvidedServers } from './session/provided-servers.ts';
import type { SessionRegistry } from './session/registry.ts';

/** What a connection is made of. */
export interface ConnectionParts {
  readonly link: Link;
  readonly caller: Caller;
  readonly registry: SessionRegistry;
  readonly router: MessageRouter;
  readonly servers: ProvidedServers;
  readonly report: DiagnosticListener;
  /** How the agent is started again; absent where it is not. */
  readonly restarter: Restarter | undefined;
}
