import type { JsonObject } from '../base/json.ts';
import type { ProcessExit } from '../base/process-exit.ts';

/** The cost of a session. */
export interface UsageCost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/**
 * One limit of the user's plan, such as the work of five hours. Agents report them in `_meta`, each in its own form.
 *
 * @experimental
 */
export interface RateLimit {
  /** The agent's name for the limit, such as `five_hour` or `5h`. Unique in the list. */
  readonly limitId: string;
  /** A name to show. `null` if the agent gives none. */
  readonly name: string | null;
  /** How long the limit counts before it begins again, in minutes. `null` if the agent does not say it. */
  readonly windowMinutes: number | null;
  /** How much is used, in percent. It can exceed 100. `null` if the agent does not say it. */
  readonly usedPercent: number | null;
  /** When the limit begins again, in milliseconds as `Date.now()` counts them. `null` if the agent does not say it. */
  readonly resetsAt: number | null;
  /** What the agent says of the limit: `warning` near its end, `reached` at it. `null` if the agent says nothing. */
  readonly status: 'allowed' | 'warning' | 'reached' | null;
}

/**
 * The tokens that a turn used. `null` or an absent field means that the agent did not report the number.
 *
 * @experimental
 */
export interface TurnUsage {
  readonly totalTokens: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly thoughtTokens?: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
  readonly _meta?: JsonObject;
}

/** A command: a prompt that begins with `/` and its name runs it. */
export interface TextCommand {
  readonly type: 'command';
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly type: string; readonly hint?: string; readonly [key: string]: unknown } | null;
  readonly _meta?: JsonObject | null;
}

/**
 * A skill of the agent. A block `{ type: 'skill', name }` of a prompt invokes it, and `/name` does not. Agents list skills to
 * a client that connects with `skills: true`.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/agent-skills
 */
export interface AgentSkill extends Omit<TextCommand, 'type'> {
  readonly type: 'skill';
  /** Its `SKILL.md`, an absolute path. */
  readonly path?: string | null;
}

/** A command of a type that this library does not know. `type` is declared as that of {@link UnknownContent} is. */
export interface UnknownCommand extends Omit<TextCommand, 'type'> {
  readonly type: `_${string}`;
}

/** What the agent offers by name: a command or a skill. Only a command completes what begins with a slash. */
export type SlashCommand = TextCommand | AgentSkill | UnknownCommand;

/** A mode of the agent, for example to ask before each edit, or to plan only. */
export interface SessionMode {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  readonly _meta?: JsonObject | null;
}

/** The modes of a session. Version 1 only. If an agent has both, prefer config options. */
export interface SessionModes {
  readonly currentModeId: string;
  readonly availableModes: readonly SessionMode[];
}

/** A value of a setting. */
export interface ConfigChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | null;
  readonly _meta?: JsonObject | null;
}

/** A group of values of a setting, with a heading. */
export interface ConfigChoiceGroup {
  readonly groupId: string;
  readonly name: string;
  readonly options: readonly ConfigChoice[];
  readonly _meta?: JsonObject | null;
}

/** What the config options of all types have. */
export interface ConfigOptionBase {
  readonly configId: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
  readonly _meta?: JsonObject | null;
}

/** A setting with one of several values, in one list or in groups. */
export interface SelectConfigOption extends ConfigOptionBase {
  readonly type: 'select';
  readonly currentValue: string;
  readonly options: readonly ConfigChoice[] | readonly ConfigChoiceGroup[];
}

/** A setting that is on or off. */
export interface BooleanConfigOption extends ConfigOptionBase {
  readonly type: 'boolean';
  readonly currentValue: boolean;
}

/** A setting of an unknown type, unchanged. */
export interface UnknownConfigOption extends ConfigOptionBase {
  readonly type: `_${string}`;
  readonly [key: string]: unknown;
}

/** A setting of a session. */
export type ConfigOption = SelectConfigOption | BooleanConfigOption | UnknownConfigOption;

/** A session as `session/list` describes it. */
export interface SessionInfo {
  readonly sessionId: string;
  /** Working directory of the session. Absolute. */
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  /** Title of the session. */
  readonly title?: string | null;
  /** ISO 8601. */
  readonly updatedAt?: string | null;
  readonly _meta?: JsonObject | null;
}

/** A message from the agent to the user. An event, not part of the transcript. */
export interface SessionNotice {
  readonly severity: 'info' | 'warning' | 'error' | (string & {});
  readonly title: string;
  readonly description: string | null;
}

/** Name and version of a program. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string | null;
  readonly _meta?: JsonObject | null;
}

/** A language model that the session can use. */
export interface SessionModel {
  readonly modelId: string;
  readonly name: string;
  readonly description?: string | null;
  readonly _meta?: JsonObject | null;
}

/**
 * The models of a session, and the one that it uses. Only for version 1 agents that do not have a config option for the
 * model.
 */
export interface SessionModels {
  readonly currentModelId: string;
  readonly availableModels: readonly SessionModel[];
}

/** How the command of a terminal ended. Both fields are absent or `null` if the agent does not report them. */
export interface TerminalExitStatus extends Partial<ProcessExit> {
  readonly _meta?: JsonObject | null;
}

/** Work that continues while the session is idle. */
export interface BackgroundWork {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The field with the id, by the type of the work. */
const idFields = { tool_call: 'toolCallId', terminal: 'terminalId', subagent: 'sessionId' };

/** Whether something with such an id is background work, as the agent reported it. */
export function isInBackground(background: readonly BackgroundWork[] = [], about: object): boolean {
  return Object.entries(idFields).some(([type, field]) => {
    const id: unknown = Reflect.get(about, field);
    return typeof id === 'string' && background.some((work) => work.type === type && work[field] === id);
  });
}
