import type { SessionEvent } from './event.ts';
import type { Block, Message, Step, StoredSession } from './history.ts';
import { text } from './history.ts';
import { splitText } from './split-text.ts';

/** How a dialect replays what the agent said: streamed again after a reset, or each message at once. */
export type ReplayStyle = 'chunks' | 'whole';

/** The events that tell a session's history anew, from its start. */
export function replay(session: StoredSession, style: ReplayStyle): readonly SessionEvent[] {
  const events = session.steps.flatMap((step) => replayStep(step, style));
  events.push({ type: 'info', title: session.title, updatedAt: session.updatedAt });
  if (session.usage) events.push({ type: 'usage', usage: session.usage });
  return events;
}

function replayStep(step: Step, style: ReplayStyle): SessionEvent[] {
  if (step.step === 'message') return replayMessage(step, style);
  if (step.step === 'plan') return [{ type: 'plan', plan: step }];
  const commands = step.content.flatMap((output): SessionEvent[] =>
    output.type === 'command' ? [{ type: 'command', run: output }] : [],
  );
  return [...commands, { type: 'tool_call', call: step }];
}

function replayMessage({ role, messageId, content }: Message, style: ReplayStyle): SessionEvent[] {
  if (style === 'whole' || role === 'user') return [{ type: 'message', role, messageId, content }];
  return [
    { type: 'message', role, messageId, content: [] },
    ...streamed(content).map((block): SessionEvent => ({ type: 'message_chunk', role, messageId, block })),
  ];
}

/** The same content in the small blocks in which it is streamed. */
export function streamed(content: readonly Block[]): readonly Block[] {
  return content.flatMap((block) =>
    block['type'] === 'text' && typeof block['text'] === 'string'
      ? splitText(block['text']).map(text)
      : [block],
  );
}
