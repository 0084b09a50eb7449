import { AbstractChat, type ChatInit, type ChatState, type ChatStatus } from 'ai';
import { answeredApprovals } from '../../src/ui/ai-sdk/chat-transport.ts';
import type { AcpPart, AcpUIMessage } from '../../src/ui/ai-sdk/message-type.ts';

/** The state of a chat, without a framework. It copies what it gets, as that of React does. */
class PlainState implements ChatState<AcpUIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: AcpUIMessage[];

  constructor(messages: AcpUIMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: AcpUIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: AcpUIMessage) => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

/** AI SDK's chat, as `useChat` has it. */
export class TestChat extends AbstractChat<AcpUIMessage> {
  constructor({ messages = [], ...init }: ChatInit<AcpUIMessage>) {
    super({ sendAutomaticallyWhen: answeredApprovals, ...init, state: new PlainState(messages) });
  }

  /** The parts of one type in the last message. */
  parts<T extends AcpPart['type']>(type: T): readonly Extract<AcpPart, { type: T }>[] {
    const parts = this.messages.at(-1)?.parts ?? [];
    return parts.filter((part): part is Extract<AcpPart, { type: T }> => part.type === type);
  }
}
