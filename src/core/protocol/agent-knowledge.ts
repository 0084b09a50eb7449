import type { RemoteError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { ContentBlock } from '../model/content.ts';
import type { RateLimit } from '../model/session.ts';
import type { SubagentUpdate } from '../model/update.ts';

/** What is known about a setting of an agent that decides whether it asks for permission. */
export interface PermissionSetting {
  /** The id of the setting, as `session.changeSetting` takes it. */
  readonly settingId: string;
  /** The values with which the agent does nothing without asking, the usual one first. */
  readonly asking: readonly string[];
  /** The values with which it edits files or runs commands without asking. */
  readonly notAsking: readonly string[];
}

/** What a notification tells of a subagent, as the update that the protocol has for it. */
export interface SubagentNotice {
  /** The session that the subagent works for. */
  readonly sessionId: string;
  readonly update: SubagentUpdate;
}

/** How the library was tested with an agent: how it starts, and in which version it finished turns. */
export interface TestedAgent {
  /** Its id in the registry. */
  readonly id: string;
  /** For the user. */
  readonly name: string;
  /** Its npm package, without a version. */
  readonly package: string;
  /** The version that was tested. */
  readonly version: string;
  /** The program that the package installs. */
  readonly program: string;
  /** The arguments with which it speaks the protocol. */
  readonly args: readonly string[];
}

/** What is known about an agent that it does not say of itself in the protocol. */
export interface AgentKnowledge {
  /** The names in `agentInfo`, and the ids in the registry. */
  readonly names: readonly string[];
  /** Ids of login methods, for an agent that does not report its name. */
  readonly methodIds?: readonly string[];
  /** A name in the `_meta` of the capabilities, for a server that does not report the name of its agent. */
  readonly serverMeta?: string;
  /** The commands that log in, as the user of the agent's own program types them. */
  readonly loginCommands?: readonly string[];
  /** The environment variables that hold its key. */
  readonly keyVariables?: readonly string[];
  /** Whether it says so, with a code of its own, that it has no login or key. */
  readonly lacksLogin?: (error: RemoteError) => boolean;
  /** The settings that decide whether it asks. An empty list: it never asks. Absent: not known. */
  readonly permissions?: readonly PermissionSetting[];
  /** The variable with which it asks, if it is started with it. Without it, it asks only where its configuration says so. */
  readonly askingVariable?: { readonly name: string; readonly value: string };
  /** It loses a cancel that comes before it has begun with the turn, and then each later one for this turn. */
  readonly dropsEarlyCancel?: true;
  /**
   * The notification that ends the history of a session, which may come only with the next prompt. It does not name the
   * session. `kind` is in its parameters.
   */
  readonly replayEnd?: { readonly method: string; readonly kind: string };
  /** Reads a notification of its own about a subagent. `undefined`: it tells nothing of one. */
  readonly subagentNotice?: (method: string, params: unknown) => SubagentNotice | undefined;
  /** Reads a chunk of a message of the user, whose text can have more than text in it, such as pictures. */
  readonly blocksOfText?: (text: string) => readonly ContentBlock[];
  /** The key in the `_meta` of a notification that names the prompt which the words of its update are about. */
  readonly promptKey?: string;
  /** The keys in the `_meta` of a call of a tool that name the tool call of the transcript. */
  readonly toolCallKeys?: readonly string[];
}

/** How an agent reports the limits of the user's plan: the key in the `_meta` of a usage, and the reader of its value. */
export interface RateLimitReader {
  readonly key: string;
  readonly read: (value: unknown) => readonly RateLimit[];
}

/** Chooses what is known about the agent that answered `initialize` so. */
export type FindAgent = (initializeResult: JsonObject) => AgentKnowledge;
