import type { Issue } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Implementation } from '../model/session.ts';
import type { ConversationUpdate, PendingPermission, ToolCallUpdate } from '../model/update.ts';
import type { CallTable } from './calls.ts';
import type { Feature, FeatureRule } from './feature.ts';
import type { AgentMethod, ClientMethod } from './method.ts';

/**
 * The ways to speak the protocol: version 1; the earlier draft of version 2, in which agents advertise load,
 * resume, close and list one by one; version 2.
 */
export type DialectName = 'v1' | 'v2-markers' | 'v2-baseline';

/** A way for the user to log in that the agent offers. */
export interface AuthMethod {
  readonly methodId: string;
  readonly name: string;
  readonly description: string | null;
  /** `agent`: call `login`. `terminal`: run the agent's program with `args` and `env`. Others are the agent's own. */
  readonly type: 'agent' | 'terminal' | (string & {});
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly _meta?: JsonObject;
}

/** What an update says in neutral words, or why it says nothing. */
export type NormalizedUpdate =
  | {
      readonly update: ConversationUpdate;
      /** What it says beside, to be folded after it. */
      readonly more?: readonly ConversationUpdate[];
    }
  | { readonly update: undefined; readonly issues: readonly Issue[] };

/** A permission request in neutral words. */
export interface NormalizedPermission extends PendingPermission {
  readonly sessionId: string;
  /** The tool call as the request carries it, to be folded before the user is asked. */
  readonly toolCall: ToolCallUpdate | null;
  readonly subject: PermissionSubject | null;
}

/** What a permission is asked for, where it is more than the title says. */
export type PermissionSubject =
  | { readonly type: 'tool_call'; readonly toolCallId: string }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly cwd: string;
      readonly toolCallId?: string | null;
      readonly terminalId?: string | null;
    }
  | { readonly type: `_${string}`; readonly [key: string]: unknown };

/**
 * One way to speak ACP. Everything that differs between versions is a member of this; code outside `protocol/`
 * never asks for the version.
 */
export interface Dialect {
  readonly name: DialectName;
  readonly protocolVersion: 1 | 2;
  /** How each feature is read from the `initialize` result. */
  readonly features: Readonly<Record<Feature, FeatureRule>>;
  readonly calls: CallTable;
  /** The methods that the client may call, by name on the wire. Absence is deletion. */
  readonly agentMethods: Readonly<Record<string, AgentMethod>>;
  /** The methods that the agent may call, by name on the wire. */
  readonly clientMethods: Readonly<Record<string, ClientMethod>>;
  /** Reads one `session/update`. Never throws. */
  normalize(update: unknown): NormalizedUpdate;
  normalizePermission(params: unknown): NormalizedPermission | readonly Issue[];
  readInitialize(result: JsonObject): {
    readonly agentInfo: Implementation | undefined;
    readonly authMethods: readonly AuthMethod[];
  };
  /** What ends a turn: the answer to the prompt, or the first rest after it. Read in one file. */
  readonly endOfTurn: 'response' | 'state_update';
}
