import type { Conversation } from '../model/conversation.ts';
import type { Surroundings } from './ask-user.ts';
import type { Format } from './grammar.ts';
import { LiveTranscript } from './live-transcript.ts';
import type { Output } from './output.ts';
import { printConversation } from './print-conversation.ts';
import { Progress } from './progress.ts';

/** How a turn is shown while it goes on, and at its end. */
export interface TurnView extends Surroundings {
  /** A message of the agent's came. */
  count(message: { readonly method?: unknown }): void;
  /** The conversation grew. */
  show(conversation: Conversation): void;
  finish(conversation: Conversation): Promise<void>;
  /** Nothing is to be shown at the end. */
  dismiss(): void;
}

/** The view of a turn: as it comes where somebody watches text, and else once, at its end. */
export function viewOf(format: Format, output: Output): TurnView {
  return format === 'text' && output.isWatched ? liveView(output) : finalView(format, output);
}

function liveView(output: Output): TurnView {
  let written: Promise<void> = Promise.resolve();
  const live = new LiveTranscript(output, (text) => {
    written = output.result(text);
  });
  return {
    pause: () => live.pause(),
    resume: () => live.resume(),
    count() {},
    show: (conversation) => live.show(conversation),
    async finish(conversation) {
      live.finish(conversation);
      await written;
    },
    dismiss() {},
  };
}

function finalView(format: Format, output: Output): TurnView {
  const progress = new Progress(output);
  return {
    pause: () => progress.pause(),
    resume: () => progress.resume(),
    count: (message) => progress.count(message),
    show() {},
    async finish(conversation) {
      progress.stop();
      await printConversation(conversation, format, output);
    },
    dismiss: () => progress.stop(),
  };
}
