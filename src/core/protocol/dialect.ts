import type { ValidationIssue } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallTable } from './calls.ts';
import type { Feature, FeatureRule } from './feature.ts';
import type { AgentMethod, ClientMethod } from './method.ts';
import type { NormalizedPermission, NormalizedUpdate } from './normalize.ts';

/**
 * A variant of the protocol:
 *
 * - `v1`: version 1
 * - `v2-markers`: an earlier draft of version 2, in which an agent advertises load, resume, close and list separately
 * - `v2-baseline`: version 2 as it is in Preview and in its alphas: every agent with sessions supports these four
 */
export type DialectName = 'v1' | 'v2-markers' | 'v2-baseline';

/** A login method that the agent offers. */
export interface AuthMethod {
  readonly methodId: string;
  readonly name: string;
  readonly description: string | null;
  /**
   * - `agent`: call `login`
   * - `terminal`: run the agent's program, or `command`, with `args` and `env` in a terminal
   * - `env_var`: set the environment variables `vars` and start the agent again
   *
   * Other types are custom.
   */
  readonly type: 'agent' | 'terminal' | 'env_var' | (string & {});
  /**
   * The program to run instead of the agent's, with `args` alone. It is from `_meta["terminal-auth"]`, which some agents
   * send instead of the type `terminal`. Run it only for an agent that this machine runs.
   */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The environment variables that the user must provide. Only for `env_var`. */
  readonly vars?: readonly AuthVariable[];
  /** The address of a page where the user gets the values of `vars`. Only for `env_var`. */
  readonly link?: string;
  readonly _meta?: JsonObject;
}

/** An environment variable that a login method needs. */
export interface AuthVariable {
  readonly name: string;
  /** The text to show instead of the name. */
  readonly label?: string;
  /** Whether to hide the value while the user types it. Default: `true`. */
  readonly secret?: boolean;
  /** Whether the variable can be omitted. Default: `false`. */
  readonly optional?: boolean;
  readonly _meta?: JsonObject;
}

/**
 * One variant of the protocol. Everything that differs between versions is a member of this interface, so that code
 * outside `protocol/` does not check the version.
 */
export interface Dialect {
  readonly name: DialectName;
  readonly protocolVersion: 1 | 2;
  /** How an agent advertises each feature in its `initialize` result. */
  readonly features: Readonly<Record<Feature, FeatureRule>>;
  readonly calls: CallTable;
  /** The methods that the client may call, by their name on the wire. */
  readonly agentMethods: Readonly<Record<string, AgentMethod>>;
  /** The methods that the agent may call, by their name on the wire. */
  readonly clientMethods: Readonly<Record<string, ClientMethod>>;
  /** Reads the `update` of a `session/update`. Never throws. */
  normalize(update: unknown): NormalizedUpdate;
  /** Reads the parameters of a `session/request_permission`. Never throws. */
  normalizePermission(params: unknown): NormalizedPermission | readonly ValidationIssue[];
  /** What ends a turn: the answer to the prompt, or the first idle state after it. */
  readonly endOfTurn: 'response' | 'state_update';
  /** Whether a prompt has a key, so that an agent can run it once however often it is sent. */
  readonly hasPromptKeys: boolean;
}
