import type { JsonObject } from '../base/json.ts';
import type { ContentBlockInput } from './content.ts';
import type { ConfigOption, SessionModels, SessionModes, SlashCommand, TurnUsage } from './session.ts';

/** Text that the agent adds to its system prompt, or uses instead of it. */
export interface SystemPrompt {
  /** `append`: after the agent's own system prompt. `override`: instead of it. */
  readonly mode: 'append' | 'override' | `_${string}`;
  readonly content: readonly ContentBlockInput[];
}

/** The agent's answer when it has opened a session. */
export interface OpenedSession {
  readonly sessionId?: string;
  readonly modes?: SessionModes | null;
  readonly configOptions?: readonly ConfigOption[] | null;
  readonly commands?: readonly SlashCommand[];
  /** Only in version 1, and only from agents that do not use config options for the model. */
  readonly models?: SessionModels | null;
  readonly _meta?: JsonObject;
}

/** The answer to a prompt. Version 1 answers when the turn ends, version 2 when the agent has accepted the prompt. */
export interface PromptAnswer {
  readonly stopReason?: string;
  readonly messageId?: string;
  readonly usage?: TurnUsage;
  readonly _meta?: JsonObject;
}
