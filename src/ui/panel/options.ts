import * as v from 'valibot';
import { InvalidParamsError } from '../../core/base/errors.ts';
import { kindOf } from '../../core/base/kind-of.ts';
import {
  callback,
  checkOptions,
  hasMethods,
  integerBetween,
  oneOf,
  optional,
  optionsObject,
} from '../../core/base/options.ts';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { ContentBlockInput } from '../../core/model/content.ts';
import type { SessionMcpServer } from '../../core/model/mcp-server.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import type { Transport } from '../../core/transport/transport.ts';
import type { Transcripts } from '../../records/transcripts/transcripts.ts';
import { checkAgents, type PanelAgent } from './agent-choice.ts';
import type { PanelChannel } from './channel.ts';
import type { PanelProblem } from './state.ts';

/** The directories of a session. */
export interface PanelWorkspace {
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** The other directories of the workspace. The agent gets them if it supports additional directories. */
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly SessionMcpServer[] | undefined;
}

/** The session that a panel shows, as its memory keeps it. */
export interface RememberedSession {
  readonly sessionId: string;
  readonly cwd: string;
}

/** Where a panel keeps the session that it shows, for the next start of the host. */
export interface PanelMemory {
  readonly get: () => RememberedSession | undefined;
  readonly set: (session: RememberedSession | undefined) => unknown;
  /** The id of the agent that the user has chosen from `agents`. Absent: the user chooses at each start of the host. */
  readonly getAgent?: (() => string | undefined) | undefined;
  readonly setAgent?: ((id: string | undefined) => unknown) | undefined;
}

/** A place in a file. */
export interface PanelLocation {
  /** Absolute. */
  readonly path: string;
  /** Counted from 1. `null`: the whole file. */
  readonly line: number | null;
}

/** One changed file of a diff. */
export interface PanelDiff {
  /** Absolute. */
  readonly path: string;
  /**
   * The whole file or a part of it, as the agent sent it. `null` for a new file, and if the agent sent a patch only.
   */
  readonly oldText: string | null;
  /** `null` if the agent sent a patch only. */
  readonly newText: string | null;
  /** The patch of all files of the diff. `null` if the agent sent texts. */
  readonly patch: { readonly format: string; readonly text: string } | null;
}

/**
 * The actions of the editor that a page may ask for. If a function is absent, the host refuses the action. The host has
 * found the path or the address in the conversation, and checked it.
 */
export interface PanelEditor {
  readonly openLocation?: ((location: PanelLocation) => unknown) | undefined;
  readonly openDiff?: ((diff: PanelDiff) => unknown) | undefined;
  /** The address begins with `http:` or `https:`. */
  readonly openLink?: ((url: string) => unknown) | undefined;
  /** Shows the editor's own dialog. The page gets the blocks, and may put them in its next prompts. */
  readonly chooseAttachments?: (() => Promise<readonly ContentBlockInput[]>) | undefined;
  /** Inserts a text of the conversation at the cursor of the editor that was used last. */
  readonly insertText?: ((text: string) => unknown) | undefined;
  /** Shows the editor's own dialog for opening a directory. It is the remedy of a problem with `openFolder`. */
  readonly openFolder?: (() => unknown) | undefined;
  /** Shows the editor's own settings for the trust in the workspace. It is the remedy of a problem with `manageTrust`. */
  readonly manageTrust?: (() => unknown) | undefined;
  /** Shows the log of the agent: pages offer it while a start takes long. */
  readonly showLog?: (() => unknown) | undefined;
  /**
   * Runs the login of a method of type `terminal`. Resolves when the user has logged in. `agent` is the one that was
   * chosen from `agents`.
   */
  readonly loginInTerminal?: ((method: AuthMethod, agent?: PanelAgent) => Promise<void>) | undefined;
}

/** Options of {@link servePanel}. An unknown option is refused. */
export interface PanelOptions {
  /** Starts the agent, as the first argument of `connect`. It is called again for each start. Pass this or `agents`. */
  readonly agent?: (() => Transport | Promise<Transport>) | undefined;
  /**
   * The agents that the user can choose from, or a function that is called for each start and for each page that asks for
   * the list. The agent that the memory has is started at once, and so is the only one of a list. Otherwise nothing is
   * started until the user chooses one, with `chooseAgent` of the page or of {@link ServedPanel}.
   */
  readonly agents?:
    | readonly PanelAgent[]
    | (() => readonly PanelAgent[] | Promise<readonly PanelAgent[]>)
    | undefined;
  /**
   * The options of `connect`, or a function that is called for each start. The panel adds `requestPermission`, `elicit`
   * and `onAuthRequired` where they are absent, and `reconnect` with three attempts.
   */
  readonly connect: ConnectOptions | (() => ConnectOptions);
  /** The directories of the workspace. It is called for each session, and for each path that is checked. */
  readonly workspace: () => PanelWorkspace;
  /**
   * Which of the agent's sessions a page can open: those in the directories of the workspace, or all. Default:
   * `workspace`.
   */
  readonly sessions?: 'workspace' | 'all' | undefined;
  /** Keeps the session that is shown. Default: it is not kept. */
  readonly memory?: PanelMemory | undefined;
  /**
   * Keeps the sessions that are opened, as `openTranscripts` returns it. The list then has the sessions of the workspace that
   * the agent does not list, and each can be searched, exported and read without the agent. Default: they are not kept.
   */
  readonly transcripts?: Transcripts | undefined;
  readonly editor?: PanelEditor | undefined;
  /**
   * Called with each problem that the user sees, and with faults of a page or of your functions, which the user does
   * not see. Default: faults are ignored.
   */
  readonly onProblem?: ((problem: PanelProblem) => void) | undefined;
  readonly limits?:
    | {
        /** The maximum length of a message of a page, as JSON, in UTF-16 code units. Default: 33,554,432. */
        readonly messageCharacters?: number | undefined;
        /** How many calls of one page can be open. Default: 64. */
        readonly openCalls?: number | undefined;
        /** How many sessions are listed. Default: 500. */
        readonly listedSessions?: number | undefined;
        /** How many pages can be attached. Default: 16. */
        readonly pages?: number | undefined;
      }
    | undefined;
}

type Schemas<T> = { readonly [K in keyof Required<T>]: v.GenericSchema };

const limit = (byDefault: number) => v.optional(integerBetween(1, Number.MAX_SAFE_INTEGER), byDefault);

const limits = optionsObject({
  messageCharacters: limit(32 * 1024 * 1024),
  openCalls: limit(64),
  listedSessions: limit(500),
  pages: limit(16),
} satisfies Schemas<NonNullable<PanelOptions['limits']>>);

/** The limits of {@link PanelOptions} with their defaults. */
export type Limits = Readonly<v.InferOutput<typeof limits>>;

const editorFunctions = {
  openLocation: optional(callback),
  openDiff: optional(callback),
  openLink: optional(callback),
  chooseAttachments: optional(callback),
  insertText: optional(callback),
  openFolder: optional(callback),
  manageTrust: optional(callback),
  showLog: optional(callback),
  loginInTerminal: optional(callback),
} satisfies Schemas<PanelEditor>;

const memoryFunctions = {
  get: callback,
  set: callback,
  getAgent: optional(callback),
  setAgent: optional(callback),
} satisfies Schemas<PanelMemory>;

const PanelSchema = optionsObject({
  agent: optional(callback),
  agents: optional(
    v.custom<NonNullable<PanelOptions['agents']>>(
      (value) => typeof value === 'function' || Array.isArray(value),
      ({ input }) => `must be a list of agents, or a function that returns one; got ${kindOf(input)}`,
    ),
  ),
  connect: v.custom<ConnectOptions | (() => ConnectOptions)>(
    (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    ({ input }) => `must be the options of connect, or a function that returns them; got ${kindOf(input)}`,
  ),
  workspace: callback,
  sessions: optional(oneOf('workspace', 'all')),
  memory: optional(v.looseObject(memoryFunctions)),
  transcripts: optional(
    v.custom<Transcripts>(
      (value) => hasMethods(value, 'record', 'list', 'read', 'search', 'reopen', 'export', 'remove'),
      ({ input }) => `must be what openTranscripts returns; got ${kindOf(input)}`,
    ),
  ),
  editor: optional(v.looseObject(editorFunctions)),
  onProblem: optional(callback),
  limits: v.optional(limits, {}),
} satisfies Schemas<PanelOptions>);

/**
 * Checks the options of {@link servePanel}, and returns the limits.
 *
 * @throws {@link InvalidParamsError}
 */
export function readPanelOptions(options: PanelOptions): Limits {
  const { limits: read } = checkOptions('servePanel', PanelSchema, options, 'The agent was not started.');
  const { agent, agents } = options;
  if ((agent === undefined) === (agents === undefined)) {
    const got = agent === undefined ? 'neither' : 'both';
    throw new InvalidParamsError(`servePanel: pass agent or agents, and not ${got}. No agent was started.`);
  }
  if (Array.isArray(agents)) checkAgents(agents);
  return read;
}

/** The names of the functions that an editor has. */
export function editorActions(editor: PanelEditor = {}): readonly string[] {
  return Object.keys(editorFunctions).filter((name) => Reflect.get(editor, name) !== undefined);
}

/** Checks a channel. In JavaScript it can be anything. */
export function assertChannel(call: string, channel: unknown): asserts channel is PanelChannel {
  if (hasMethods(channel, 'post', 'listen')) return;
  throw new InvalidParamsError(
    `${call}: the channel must be an object with post and listen; got ${kindOf(channel)}. Use webSocketChannel, messagePortChannel, or an object of your own.`,
  );
}
