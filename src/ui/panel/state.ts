import type { SessionSetting } from '../../core/conversation/settings.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { PermissionOption } from '../../core/model/permission.ts';
import type { SessionInfo, SlashCommand } from '../../core/model/session.ts';
import type { Feature } from '../../core/protocol/feature.ts';

/** What a panel shows. Immutable: each change makes a new object, in which equal parts keep their identity. */
export interface PanelState {
  /**
   * - `disconnected`: the page has not heard from the host yet, or the channel ended
   * - `starting`: the agent is being started
   * - `open`: the agent answers
   * - `reconnecting`: the agent ended unexpectedly and is being started again
   * - `closed`: the agent is not running; `problem` says why, and `restart` starts it again
   */
  readonly phase: 'disconnected' | 'starting' | 'open' | 'reconnecting' | 'closed';
  /**
   * In the phase `reconnecting`, when the next attempt to start or reach the agent begins, in milliseconds as `Date.now()`
   * counts them: "Offline, next try in 8 s". `null` while an attempt is under way, and in the other phases. `retryNow`
   * begins the attempt at once.
   */
  readonly nextAttemptAt: number | null;
  /** The agent's own name and version. `null` until it has started, and if it does not report them. */
  readonly agent: {
    readonly name: string;
    readonly title: string | null;
    readonly version: string | null;
  } | null;
  /** What the agent supports. Empty until it has started. */
  readonly features: Readonly<Partial<Record<Feature, boolean>>>;
  /** The ways to log in that the agent offers. */
  readonly authMethods: readonly PanelLoginMethod[];
  /** The login that runs: it can take minutes. `cancelLogin` gives it up. `null`: none. */
  readonly login: { readonly name: string } | null;
  /**
   * The sessions that a page can open, the newest first where the agent lists them so. `title` is the agent's. If it
   * gives none, it is the first line of the session's first prompt, with at most 80 characters, as far as the host knows
   * the prompt, and `null` otherwise.
   */
  readonly sessions: readonly PanelSession[];
  /** The session that is shown. */
  readonly sessionId: string | null;
  /**
   * Why the session that is shown can only be read: the agent does not have it, or has not opened it yet. `null` if it can
   * be continued.
   */
  readonly readOnly: string | null;
  /** The working directory of the session that is shown. `null` if no session is shown. */
  readonly cwd: string | null;
  /** Progress of the session that is being opened; `null` if none is. */
  readonly loading: { readonly updates: number } | null;
  /** The conversation of the session that is shown. `null` if no session is shown. */
  readonly conversation: Conversation | null;
  /** The settings of the session that is shown, as `settingsOf` lists them. */
  readonly settings: readonly SessionSetting[];
  /** The commands of the session that is shown. */
  readonly commands: readonly SlashCommand[];
  /** The open questions of the session that is shown, and those that belong to no session. */
  readonly questions: readonly PanelQuestion[];
  /** How many questions wait in each other session that has some. */
  readonly waiting: readonly { readonly sessionId: string; readonly count: number }[];
  /** The text in the input. */
  readonly draft: string;
  /** What went wrong last, for the user. */
  readonly problem: PanelProblem | null;
  /** The names of the functions of `editor` that the host has. */
  readonly actions: readonly string[];
  /**
   * The agents that the user can choose from. Empty if the host has one agent only. If none is chosen, the phase is
   * `closed`, without a problem.
   */
  readonly agents: readonly PanelAgentChoice[];
}

/** A session that a page can open. */
export interface PanelSession extends SessionInfo {
  /** Present if the agent does not list the session, and the transcripts of the host have it. */
  readonly isSavedOnly?: true;
}

/** A place that a search has found. */
export interface PanelHit {
  readonly sessionId: string;
  /** The `key` of the entry. */
  readonly entryKey: string;
  /** The line, or the part of it around the match. */
  readonly text: string;
  /** Where the match is in `text`, as for `text.slice(start, end)`. */
  readonly match: { readonly start: number; readonly end: number };
}

/** An agent that the user can choose with `chooseAgent`. */
export interface PanelAgentChoice {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Whether it can be started without a download. `null`: not known. */
  readonly isInstalled: boolean | null;
  /** The version that is installed. `null`: not known, or the agent reports none. */
  readonly installedVersion: string | null;
  /** The version that was tested. `null`: none. */
  readonly testedVersion: string | null;
  /** A command line that installs the agent, for the user to copy. */
  readonly installCommand: string | null;
  /** What the user has to know before the start, such as that it downloads the agent. */
  readonly note: string | null;
  /** `unknown` until the agent was looked up, and for an agent that does not say it. */
  readonly login: 'loggedIn' | 'needed' | 'unknown';
  readonly isChosen: boolean;
}

/** A way to log in. */
export interface PanelLoginMethod {
  readonly methodId: string;
  readonly name: string;
  readonly description: string | null;
  /** `agent`, `terminal`, `env_var`, or the agent's own. */
  readonly type: string;
}

/**
 * What went wrong, as a user can read it. If the agent answered with an error, `message` is the agent's own sentence. The
 * method and the code of the answer are in the `detail` of what `onProblem` gets, and not in what the pages get.
 */
export interface PanelProblem {
  /** What happened, in one line. */
  readonly message: string;
  /** More, such as the end of the agent's stderr. */
  readonly detail: string | null;
  /** The code of the library's error, such as `agent.exit`, or one that begins with `panel.`. */
  readonly code: string;
  /**
   * What the user can do about it with an action of the panel: the action of the same name. For `openFolder` and
   * `manageTrust`, show a button only if `state.actions` has the name.
   */
  readonly remedy: 'restart' | 'login' | 'openFolder' | 'manageTrust' | null;
}

/** A question of the agent that waits for the user. `id` is unique as long as the host runs. */
export type PanelQuestion =
  | PanelPermissionQuestion
  | PanelFormQuestion
  | PanelUrlQuestion
  | PanelLoginQuestion;

/** Whether the agent may do something. The answer is `{ optionId }`, or `{ action: 'cancel' }`. */
export interface PanelPermissionQuestion {
  readonly kind: 'permission';
  readonly id: string;
  readonly sessionId: string;
  readonly title: string;
  readonly description: string | null;
  /**
   * The `key` of the tool call's entry, which has the diff. It is in the conversation, and for a `subagent` in the
   * conversation of the subagent. `null`: no tool call.
   */
  readonly toolCallKey: string | null;
  readonly options: readonly PermissionOption[];
  /** The title or the id of the subagent that asks. `null` if the session itself asks. */
  readonly subagent: string | null;
}

/** A form. The answer is `{ action: 'accept', content }`, `{ action: 'decline' }` or `{ action: 'cancel' }`. */
export interface PanelFormQuestion {
  readonly kind: 'form';
  readonly id: string;
  readonly sessionId: string | null;
  readonly message: string;
  readonly fields: readonly PanelFormField[];
}

/** A field of a form. */
export interface PanelFormField {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** `array`: a list of texts. Show no control for a type that you do not know. */
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | (string & {});
  readonly required: boolean;
  readonly default: string | number | boolean | readonly string[] | null;
  /** The values to choose from. `null`: any value. */
  readonly choices: readonly { readonly value: string; readonly title: string }[] | null;
  /** The least and the greatest number, number of characters, or number of items. */
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** Such as `email`, `uri` or `date`. */
  readonly format: string | null;
}

/** A page that the agent wants to open. Show the complete URL. The answers are those of a form, without content. */
export interface PanelUrlQuestion {
  readonly kind: 'url';
  readonly id: string;
  readonly sessionId: string | null;
  readonly message: string;
  readonly url: string;
  /** The host of the URL. Empty if the URL is not one of the web: do not make a link of it. */
  readonly host: string;
}

/** The agent needs a login. The answer is `{ methodId }`, or `{ action: 'cancel' }`. */
export interface PanelLoginQuestion {
  readonly kind: 'login';
  readonly id: string;
  readonly methods: readonly PanelLoginMethod[];
  /**
   * The agent's own sentence, then how to log in besides `methods`: with a command, or with a variable. Empty if the
   * agent gave no reason, and `methods` has every way.
   */
  readonly reason: string;
}

/** The user's answer to a question. Each kind of question says which answers it takes. */
export type PanelAnswer =
  | { readonly optionId: string }
  | { readonly methodId: string }
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> | undefined }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** A place of the shown conversation. The host finds the path: a page does not name one. */
export type PanelPlace =
  | {
      /** A location of a tool call: an item of its `locations`. */
      readonly kind: 'location';
      /** The `key` of the entry. */
      readonly entryKey: string;
      readonly index: number;
    }
  | {
      /** A diff of a tool call: an item of its `content`, and a file of the diff. */
      readonly kind: 'diff';
      readonly entryKey: string;
      readonly index: number;
      /** The index in `changes`. Default: 0. */
      readonly change?: number | undefined;
    }
  | {
      /**
       * A file that a text or a resource link of the entry names, as it is written there. It must be in the workspace.
       */
      readonly kind: 'link';
      readonly entryKey: string;
      readonly uri: string;
    }
  | {
      /** The file of a Markdown plan, or a file in the workspace that the plan names. */
      readonly kind: 'plan';
      readonly planId: string;
      /** As it is written in the plan. Absent: the `path` of the plan. */
      readonly uri?: string | undefined;
    };
