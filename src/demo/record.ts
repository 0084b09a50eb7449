import type { EventOf, EventType, SessionEvent } from './event.ts';
import type { Block, CommandRun, Message, Step, StoredSession, ToolCall, ToolOutput } from './history.ts';
import { text } from './history.ts';

/**
 * The session after `event`.
 *
 * What is sent live goes through here, and a replay is read from what is kept here: so the two agree.
 */
export function record(session: StoredSession, event: SessionEvent): StoredSession {
  // The table has one recorder for each type; TypeScript cannot see that the one looked up takes this event.
  const recorder = recorders[event.type] as Recorder<EventType>;
  return recorder(session, event);
}

type Recorder<T extends EventType> = (session: StoredSession, event: EventOf<T>) => StoredSession;

const recorders: { readonly [T in EventType]: Recorder<T> } = {
  message: (session, { role, messageId, content }) =>
    putMessage(session, { step: 'message', role, messageId, content }),
  message_chunk: (session, { role, messageId, block }) =>
    putMessage(session, {
      step: 'message',
      role,
      messageId,
      content: append(findMessage(session, role, messageId)?.content ?? [], block),
    }),
  tool_call: (session, { call }) => addStep(session, call),
  tool_call_started: (session, { toolCallId }) =>
    changeToolCall(session, toolCallId, (call) => ({ ...call, status: 'in_progress' })),
  tool_call_output: (session, { toolCallId, output }) =>
    changeToolCall(session, toolCallId, (call) => ({ ...call, content: [...call.content, output] })),
  tool_call_finished: (session, { call }) => changeToolCall(session, call.toolCallId, () => call),
  command: (session) => session,
  command_output: (session, event) =>
    changeCommand(session, event.terminalId, (run) => ({ ...run, output: run.output + event.text })),
  command_exited: (session, { terminalId, exitCode }) =>
    changeCommand(session, terminalId, (run) => ({ ...run, exitCode })),
  plan: (session, { plan }) => addStep(session, plan),
  info: (session, { title, updatedAt }) => ({ ...session, title, updatedAt }),
  usage: (session, { usage }) => ({ ...session, usage }),
  commands: (session) => session,
  mode_changed: (session, { settings }) => ({ ...session, settings }),
  options_changed: (session, { settings }) => ({ ...session, settings }),
  state: (session) => session,
};

/** The tool call with that id, as it stands. */
export function findToolCall(session: StoredSession, toolCallId: string): ToolCall | undefined {
  return session.steps.find((step): step is ToolCall => isToolCall(step) && step.toolCallId === toolCallId);
}

/** The tool calls that have not ended, with what they ran. */
export function unfinishedToolCalls(session: StoredSession): readonly ToolCall[] {
  return session.steps.filter(
    (step): step is ToolCall =>
      isToolCall(step) && (step.status === 'pending' || step.status === 'in_progress'),
  );
}

function findMessage(session: StoredSession, role: string, messageId: string): Message | undefined {
  return session.steps.find((step): step is Message => isMessage(step, role, messageId));
}

function putMessage(session: StoredSession, message: Message): StoredSession {
  const { role, messageId } = message;
  if (!findMessage(session, role, messageId)) return addStep(session, message);
  return {
    ...session,
    steps: session.steps.map((step) => (isMessage(step, role, messageId) ? message : step)),
  };
}

/** A run of plain text is one block, however it was cut for streaming. */
function append(content: readonly Block[], block: Block): readonly Block[] {
  const last = content.at(-1);
  if (last?.['type'] !== 'text' || block['type'] !== 'text') return [...content, block];
  return [...content.slice(0, -1), text(`${last['text']}${block['text']}`)];
}

function changeToolCall(
  session: StoredSession,
  toolCallId: string,
  change: (call: ToolCall) => ToolCall,
): StoredSession {
  const steps = session.steps.map((step) =>
    isToolCall(step) && step.toolCallId === toolCallId ? change(step) : step,
  );
  return { ...session, steps };
}

function changeCommand(
  session: StoredSession,
  terminalId: string,
  change: (run: CommandRun) => CommandRun,
): StoredSession {
  const changed = (output: ToolOutput): ToolOutput =>
    output.type === 'command' && output.terminalId === terminalId ? change(output) : output;
  const steps = session.steps.map((step) =>
    isToolCall(step) ? { ...step, content: step.content.map(changed) } : step,
  );
  return { ...session, steps };
}

function addStep(session: StoredSession, step: Step): StoredSession {
  return { ...session, steps: [...session.steps, step] };
}

function isToolCall(step: Step): step is ToolCall {
  return step.step === 'tool_call';
}

function isMessage(step: Step, role: string, messageId: string): step is Message {
  return step.step === 'message' && step.role === role && step.messageId === messageId;
}
