import type { JsonObject } from '../json.ts';

/** What a session has cost so far. */
export interface Cost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** A slash command that a prompt may start with. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly type: string; readonly hint?: string; readonly [key: string]: unknown } | null;
  readonly _meta?: JsonObject | null;
}

/** A way for the agent to work, as in asking first, or planning only. */
export interface Mode {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  readonly _meta?: JsonObject | null;
}

/** The modes of a session, and the one it is in. Version 1 only: prefer config options where an agent has both. */
export interface Modes {
  readonly currentModeId: string;
  readonly availableModes: readonly Mode[];
}

/** One value that a setting can have. */
export interface ConfigChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | null;
  readonly _meta?: JsonObject | null;
}

/** Values of a setting that belong together, under a heading. */
export interface ConfigChoiceGroup {
  readonly groupId: string;
  readonly name: string;
  readonly options: readonly ConfigChoice[];
  readonly _meta?: JsonObject | null;
}

interface ConfigOptionBase {
  readonly configId: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
  readonly _meta?: JsonObject | null;
}

/** A setting with one value out of several, which come in one list or in groups. */
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

/** An option of a type this library does not know, kept as it came: do not show it as a known one. */
export interface UnknownConfigOption extends ConfigOptionBase {
  readonly type: `_${string}`;
  readonly [key: string]: unknown;
}

/** A setting of a session, in the agent's order. */
export type ConfigOption = SelectConfigOption | BooleanConfigOption | UnknownConfigOption;

/** A session as `session/list` describes it. */
export interface SessionInfo {
  readonly sessionId: string;
  /** The folder that the session works in. Absolute. */
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  /** What the session is about, where the agent says. */
  readonly title?: string | null;
  /** ISO 8601. */
  readonly updatedAt?: string | null;
  readonly _meta?: JsonObject | null;
}

/** Something the agent wants the user to know now. An event: it is no part of the transcript. */
export interface Notice {
  readonly severity: 'info' | 'warning' | 'error' | (string & {});
  readonly title: string;
  readonly description: string | null;
}

/** Name and version of a program. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string | null;
}
