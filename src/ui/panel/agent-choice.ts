import * as v from 'valibot';
import { callback, checkOptions, optional } from '../../core/base/options.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import type { Transport } from '../../core/transport/transport.ts';
import type { PanelAgentChoice } from './state.ts';

/** An agent that the user can choose. `knownAgents` of `acp-client-sdk/node` makes a list of them. */
export interface PanelAgent {
  /** Unique in the list. The memory keeps it. */
  readonly id: string;
  /** For the user. */
  readonly name: string;
  readonly description?: string | undefined;
  /** The version of the agent with which this editor, or the library, was tested. */
  readonly testedVersion?: string | undefined;
  /** Whether it can be started without a download. Default: not known. */
  readonly isInstalled?: boolean | undefined;
  /** A command line that installs the agent. The page shows it, for the user to copy. */
  readonly installCommand?: string | undefined;
  /** What the user has to know before the start, as a sentence, such as that the start downloads the agent. */
  readonly note?: string | undefined;
  /** Starts the agent, as the option `agent` does. */
  readonly start: () => Transport | Promise<Transport>;
  /**
   * Looks up what the page shows of the agent. It is called while a page shows the list, for at most two agents at the
   * same time, and not if `isInstalled` is `false`. The signal is aborted after 20 seconds, and when the user chooses an
   * agent.
   */
  readonly probe?: ((signal: AbortSignal) => Promise<PanelAgentStatus>) | undefined;
  /** The program of a login of type `terminal`, for an editor that has terminals. */
  readonly terminalLogin?: ((method: AuthMethod) => PanelTerminalLogin) | undefined;
}

/** What is known of an agent that was looked up. */
export interface PanelAgentStatus {
  readonly isInstalled: boolean;
  readonly login: PanelAgentChoice['login'];
  /** The version that is installed. */
  readonly version?: string | undefined;
}

/** The program of a login, as `terminalLoginCommand` of `acp-client-sdk/node` returns it. */
export interface PanelTerminalLogin {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

const nonEmpty = v.pipe(v.string(), v.nonEmpty('is empty'));

const AgentSchema = v.looseObject({
  id: nonEmpty,
  name: nonEmpty,
  start: callback,
  probe: optional(callback),
  terminalLogin: optional(callback),
});

/** A list of agents, in which each id is there once. It is in an object, so that an error names it. */
const ListSchema = v.object({
  agents: v.pipe(
    v.array(AgentSchema),
    v.check(
      (agents) => new Set(agents.map(({ id }) => id)).size === agents.length,
      'has two agents with the same id',
    ),
  ),
});

/**
 * Checks a list of agents.
 *
 * @throws {@link InvalidParamsError}
 */
export function checkAgents(agents: unknown): readonly PanelAgent[] {
  checkOptions('servePanel', ListSchema, { agents }, 'No agent was started.');
  // The schema has checked what is called and compared. Other fields that are no texts are not shown.
  return agents as readonly PanelAgent[];
}
