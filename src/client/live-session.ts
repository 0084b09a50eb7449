import { emptyConversation } from '../conversation/fold.ts';
import { createConversationStore, type WritableConversationStore } from '../conversation/store.ts';
import { backgroundToolCalls, isFinished } from '../conversation/tool-calls.ts';
import { type DiagnosticListener, errorMessage, preview } from '../diagnostic.ts';
import { listed } from '../issue.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Notice } from '../model/session.ts';
import type { ConversationUpdate } from '../model/update.ts';
import type { OpenedSession } from '../protocol/calls.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { Questions } from './questions.ts';
import { StallWatch } from './stall-watch.ts';
import { Turns } from './turn.ts';

/** What a session was opened with: what it takes to open it again. */
export interface SessionSetup {
  readonly cwd: string;
  readonly mcpServers?: readonly import('../protocol/calls.ts').McpServer[];
  readonly additionalDirectories?: readonly string[];
}

/** A session as the connection keeps it: where its updates go. The user's handle on it is `Session`. */
export class LiveSession {
  readonly sessionId: string;
  readonly store: WritableConversationStore;
  readonly questions = new Questions((toolCallId) =>
    backgroundToolCalls(this.conversation.activity).has(toolCallId),
  );
  readonly turns: Turns;
  readonly stall: StallWatch;
  readonly noticeListeners = new Set<(notice: Notice) => void>();
  setup: SessionSetup;
  closed = false;
  /** How many loads are under way: what comes meanwhile is history. */
  replays = 0;
  /**
   * Whether a load was answered and nothing was asked since, of an agent that does not report its work: what comes is
   * the rest of the replay. There are agents that answer before it is out.
   */
  #isHistory = false;
  readonly #dialect: () => Dialect;
  readonly #report: DiagnosticListener;

  constructor(
    sessionId: string,
    setup: SessionSetup,
    dialect: () => Dialect,
    report: DiagnosticListener,
    stallAfterMs = Number.POSITIVE_INFINITY,
  ) {
    this.sessionId = sessionId;
    this.setup = setup;
    this.#dialect = dialect;
    this.#report = report;
    this.store = createConversationStore(emptyConversation(sessionId), (error) => {
      const message = `A subscriber of the conversation threw: ${errorMessage(error)}.`;
      report({ rule: 'subscriber.failed', severity: 'error', message });
    });
    this.stall = new StallWatch(stallAfterMs, () => {
      const message = `The agent has sent nothing for ${stallAfterMs} ms in the session ${JSON.stringify(sessionId)}, and a prompt is under way. It may be waiting for its model, or hang: cancel the turn, or go on waiting.`;
      report({ rule: 'session.stalled', severity: 'warning', message });
    });
    this.turns = new Turns(this, () => dialect().endOfTurn);
  }

  get conversation(): Conversation {
    return this.store.getSnapshot();
  }

  /** Takes one update off the wire, in its order. */
  receive(raw: unknown): void {
    this.stall.heard();
    const lifted = this.#dialect().normalize(raw);
    if (!lifted.update) {
      this.#report({
        rule: 'protocol.malformed_update',
        severity: 'warning',
        message: `The agent sent an update that is not what the protocol says, and it was dropped: ${listed(lifted.issues)}.`,
        received: preview(raw),
      });
      return;
    }
    this.fold(lifted.update);
    for (const update of lifted.more ?? []) this.fold(update);
    this.#react(lifted.update);
  }

  /** Takes one update into the conversation. */
  fold(update: ConversationUpdate): void {
    if (this.#isHistory && beginsWork(update)) this.#isHistory = false;
    this.store.apply(update, this.replays > 0 || this.#isHistory ? 'replay' : 'live');
  }

  /** Takes what the agent said when it opened the session. */
  opened({ modes, configOptions, commands }: OpenedSession): void {
    if (modes !== undefined) this.fold({ sessionUpdate: 'modes_update', modes });
    if (configOptions) this.fold({ sessionUpdate: 'config_option_update', configOptions });
    if (commands) this.fold({ sessionUpdate: 'available_commands_update', availableCommands: commands });
    // A load begins the conversation anew, and what was under way still is.
    if (this.replays > 0 && this.turns.isBusy) this.turns.showActivity();
    if (this.replays > 0) this.#isHistory = !this.turns.isBusy && !this.turns.isReported;
  }

  /** Takes back a load that failed. What ended while it was under way has ended. */
  restore(earlier: Conversation): void {
    this.store.reset(earlier);
    this.turns.showActivity();
    const ended = earlier.activity.state !== 'idle' && this.conversation.activity.state === 'idle';
    if (ended) this.fold({ sessionUpdate: 'unfinished_cancelled' });
  }

  /** The agent's program ended, and another run of it may go on with the session. What was under way is over. */
  interrupt(error: unknown): void {
    this.questions.withdrawAll('closed');
    this.turns.end(error);
    this.rest();
  }

  /** The session is over on this connection: nobody waits for anything of it any more. */
  end(error?: unknown): void {
    this.closed = true;
    this.interrupt(error);
  }

  /** Nobody works on it any more, in the background neither. How a turn that had ended did end stays. */
  rest(): void {
    const { activity } = this.conversation;
    const { background: _, ...rest } = activity.state === 'idle' ? activity : { state: 'idle' };
    this.fold({ sessionUpdate: 'state_update', ...rest });
    this.fold({ sessionUpdate: 'unfinished_cancelled' });
  }

  #react(update: ConversationUpdate): void {
    switch (update.sessionUpdate) {
      case 'state_update':
        this.turns.stateReported(update.state, update.stopReason ?? null);
        return;
      case 'user_message':
      case 'user_message_chunk':
        if (typeof update.messageId === 'string') this.turns.echoed(update.messageId);
        return;
      case 'agent_message':
      case 'agent_message_chunk':
      case 'agent_thought':
      case 'agent_thought_chunk':
        this.turns.worked();
        return;
      case 'tool_call':
      case 'tool_call_update':
        // An update may be of what goes on in the background.
        if (update.sessionUpdate === 'tool_call') this.turns.worked();
        if (this.questions.size > 0 && update.status != null && isFinished(update.status)) {
          this.questions.withdrawFor(update.toolCallId, 'finished');
        }
        return;
      case 'notice':
        this.#notify({
          severity: update.severity,
          title: update.title,
          description: update.description ?? null,
        });
        return;
    }
  }

  #notify(notice: Notice): void {
    for (const listener of [...this.noticeListeners]) {
      try {
        listener(notice);
      } catch (error) {
        const message = `A listener for notices threw: ${errorMessage(error)}.`;
        this.#report({ rule: 'subscriber.failed', severity: 'error', message });
      }
    }
  }
}

/** Whether somebody works on the session from here on: at a prompt, or at what the agent asks about. */
function beginsWork(update: ConversationUpdate): boolean {
  if (update.sessionUpdate === 'prompt_submitted') return true;
  return update.sessionUpdate === 'state_update' && update.state !== 'idle';
}
