import type { AGUIEvent, Message } from '@ag-ui/client';
import type { ContentBlock } from '../../core/model/content.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent, PermissionEvent } from '../../core/model/event.ts';
import { activitySnapshot, type Change, event } from './event.ts';
import { toAgUiMessages, turnFailureActivity } from './messages.ts';
import { SpokenMessages } from './spoken.ts';
import { StateWriter } from './state.ts';
import { TerminalOutputs } from './terminal-outputs.ts';
import { ToolCalls } from './tool-calls.ts';

/** What the reader has. */
function readerOf(messages: readonly Message[], conversation: Conversation | undefined) {
  const terminals = new TerminalOutputs(conversation);
  return {
    /** Without activity messages, which the reader keeps. */
    history: messages.filter(({ role }) => role !== 'activity'),
    spoken: new SpokenMessages(contents(messages, conversation)),
    terminals,
    toolCalls: new ToolCalls(conversation, terminals),
    state: new StateWriter(conversation),
  };
}

/** The content of the messages that the reader has, by their keys: as in the conversation, or as the reader has it. */
function contents(
  messages: readonly Message[],
  { entries }: Pick<Conversation, 'entries'> = { entries: [] },
): ReadonlyMap<string, readonly ContentBlock[]> {
  const said = messages.flatMap(({ id, content }): [string, readonly ContentBlock[]][] =>
    typeof content === 'string' ? [[id, [{ type: 'text', text: content }]]] : [],
  );
  const known = entries.flatMap((entry): [string, readonly ContentBlock[]][] =>
    entry.kind === 'message' ? [[entry.key, entry.content]] : [],
  );
  return new Map([...said, ...known]);
}

/** Writes what happens in a turn as events, which can be those of several runs. */
export class TurnWriter {
  #reader: ReturnType<typeof readerOf>;

  /**
   * @param history - The messages that the reader has.
   * @param start - The conversation at the start of the turn. `undefined` if it is not known.
   */
  constructor(history: readonly Message[], start: Conversation | undefined) {
    this.#reader = readerOf(history, start);
  }

  /** What a run begins with. */
  begin(): readonly AGUIEvent[] {
    return this.#reader.state.begin();
  }

  /** What a run begins with whose reader has another conversation, or only a part of this one: all that it has. */
  beginAnew(conversation: Conversation): readonly AGUIEvent[] {
    const messages = toAgUiMessages(conversation);
    this.#reader = readerOf(messages, conversation);
    // Without this, the reader would keep activity messages that are not there any more, if there are no new ones.
    const metadata = { '@ag-ui/client': { authoritativeActivityTypes: null } };
    return [{ ...event({ type: 'MESSAGES_SNAPSHOT', messages }), metadata }, ...this.begin()];
  }

  /** The reader has one more message of its own. */
  takeOwn(message: Message): void {
    this.#reader = { ...this.#reader, history: [...this.#reader.history, message] };
  }

  take(taken: ConversationEvent): readonly AGUIEvent[] {
    switch (taken.type) {
      case 'text':
      case 'thought':
      case 'userText':
        return this.#shown(this.#reader.spoken.say(taken));
      case 'content':
        return this.#shown(this.#reader.spoken.place(taken));
      case 'messageReplaced':
        return this.#shown(this.#reader.spoken.replace(taken.message));
      case 'toolCall':
        return this.#shown(this.#reader.toolCalls.show(taken.toolCall));
      case 'toolCallContent':
        return this.#shown(this.#reader.toolCalls.append(taken.key, taken.content));
      case 'permission':
        return this.#permission(taken);
      case 'terminal':
        return this.#reader.terminals.put(taken.terminal);
      case 'terminalOutput':
        return this.#reader.terminals.append(taken.terminalId, taken.text);
      case 'plan':
        return this.#reader.state.plan(taken.plan);
      case 'planRemoved':
        return this.#reader.state.planRemoved(taken.planId);
      case 'fields':
        return this.#reader.state.fields(taken.changed);
      case 'turnFailure':
        return [activitySnapshot(turnFailureActivity(taken.failure))];
      case 'unknown':
        return [event({ type: 'RAW', event: taken.entry.raw, source: 'acp' })];
      // AG-UI has no message for these.
      case 'sessionMessage':
      case 'sessionMessageContent':
      case 'compaction':
      case 'compactionContent':
        return [];
      case 'notice':
        return [event({ type: 'CUSTOM', name: 'acp.notice', value: taken.notice })];
      case 'entryRemoved':
        return this.#removed(taken.key);
      case 'reset':
        return [...this.pause(), ...this.beginAnew(taken.conversation)];
    }
  }

  /** Ends what is open, before a run ends and the turn goes on. */
  pause(): readonly AGUIEvent[] {
    return [...this.#reader.spoken.end(), ...this.#reader.toolCalls.complete()];
  }

  /** Ends what is open, and gives each message the form that the conversation has now. */
  finish(): readonly AGUIEvent[] {
    return [
      ...this.#reader.spoken.end(),
      ...this.#reader.toolCalls.finish(),
      ...this.#reader.terminals.finish(),
    ];
  }

  /** The message can be one of an earlier turn. */
  #removed(key: string): readonly AGUIEvent[] {
    const { history, spoken } = this.#reader;
    const left = history.filter(({ id }) => id !== key);
    if (!spoken.remove(key) && left.length === history.length) return [];
    this.#reader = { ...this.#reader, history: left };
    return this.#snapshot();
  }

  #permission({ permission, toolCall }: PermissionEvent): readonly AGUIEvent[] {
    if (toolCall) return this.#shown(this.#reader.toolCalls.show(toolCall));
    return [event({ type: 'CUSTOM', name: 'acp.permission', value: permission })];
  }

  #shown({ events, needsSnapshot }: Change): readonly AGUIEvent[] {
    return needsSnapshot ? [...events, ...this.#snapshot()] : events;
  }

  /** Activity messages are not in it: the reader keeps those that it has. */
  #snapshot(): readonly AGUIEvent[] {
    const messages = this.#reader.toolCalls.after(this.#reader.spoken.after(this.#reader.history));
    return [...this.#reader.spoken.end(), event({ type: 'MESSAGES_SNAPSHOT', messages: [...messages] })];
  }
}
