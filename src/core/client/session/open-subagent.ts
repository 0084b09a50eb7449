import type { JsonObject } from '../../base/json.ts';
import type { ConversationStore } from '../../conversation/store.ts';
import { patchSubagent } from '../../conversation/subagents.ts';
import type { Conversation, SessionActivity, SubagentInfo } from '../../model/conversation.ts';
import type { CancelCapability } from '../../model/tool-call.ts';
import type { SubagentUpdate } from '../../model/update.ts';
import type { CallOptions } from '../calls/call-options.ts';
import { runCall } from '../calls/call-site.ts';
import type { Caller } from '../calls/calls.ts';
import type { SessionSetup } from './machine/state.ts';
import type { SessionRunner } from './runner.ts';
import type { Subagent } from './subagent.ts';

/** The directories of the session that a subagent works for. */
export type ParentFolders = Pick<SessionSetup, 'cwd' | 'additionalDirectories'>;

/** What a subagent is made with. */
interface SubagentParts {
  readonly caller: Caller;
  readonly parentSessionId: string;
  readonly parentFolders: () => ParentFolders;
  readonly announcement: SubagentUpdate;
}

/** A subagent, as the user holds it. */
export class OpenSubagent implements Subagent {
  readonly sessionId: string;
  readonly parentSessionId: string;
  readonly store: ConversationStore;
  readonly #runner: SessionRunner;
  readonly #parts: SubagentParts;
  #info: SubagentInfo;
  #isStateKnown = false;

  constructor(runner: SessionRunner, parts: SubagentParts) {
    this.sessionId = runner.sessionId;
    this.parentSessionId = parts.parentSessionId;
    this.store = runner.store;
    this.#runner = runner;
    this.#parts = parts;
    this.#info = patchSubagent(undefined, parts.announcement);
    runner.updates.add(({ sessionUpdate }) => {
      if (sessionUpdate === 'state_update') this.#isStateKnown = true;
    });
  }

  get conversation(): Conversation {
    return this.#runner.conversation;
  }

  get title(): string | null {
    return this.#info.title;
  }

  get description(): string | null {
    return this.#info.description;
  }

  get state(): SessionActivity | null {
    return this.#isStateKnown ? this.#runner.conversation.activity : null;
  }

  get capabilities(): CancelCapability | null {
    return this.#info.capabilities;
  }

  get cwd(): string {
    return this.#info.cwd ?? this.#parts.parentFolders().cwd;
  }

  get additionalDirectories(): readonly string[] {
    return this.#info.additionalDirectories ?? this.#parts.parentFolders().additionalDirectories ?? [];
  }

  get meta(): JsonObject | null {
    return this.#info.meta;
  }

  cancel(options: CallOptions = {}): Promise<void> {
    return runCall(this, 'cancel', async () => {
      const { caller } = this.#parts;
      if (!caller.canSend) return;
      await this.#runner.cancel(caller.prepare('cancel', { sessionId: this.sessionId }, options));
    });
  }

  /** Takes what the subagent's agent says to the session that it works for. */
  take(update: SubagentUpdate): void {
    this.#info = patchSubagent(this.#info, update);
    const { state } = update;
    if (state === null) this.forgetState();
    if (!state) return;
    this.#runner.dispatch({ type: 'update', update: { ...state, sessionUpdate: 'state_update' } });
    this.#isStateKnown = true;
  }

  /** What the agent said before is history: what it permits and does now is not known. */
  forgetPresent(): void {
    this.#info = { ...this.#info, capabilities: null };
    this.forgetState();
  }

  forgetState(): void {
    this.#isStateKnown = false;
    this.#runner.dispatch({ type: 'changed', update: { sessionUpdate: 'state_update', state: 'idle' } });
  }
}
