import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import type { PermissionQuestion } from './encoder.ts';
import type { SessionEvent, StopReason } from './event.ts';
import type { Block, CommandRun, FileEdit, Role, ToolCall, Usage } from './history.ts';
import { text } from './history.ts';
import type { OpenSession } from './open-session.ts';
import { findToolCall, unfinishedToolCalls } from './record.ts';
import { streamed } from './replay.ts';
import { rpcErrors } from './rpc-error.ts';
import type { Act } from './script.ts';

export type PermissionAnswer = 'once' | 'always' | 'refused';

/** Where a turn takes place. */
export interface Stage {
  readonly session: OpenSession;
  /** Aborted when the client calls the turn off. */
  readonly signal: AbortSignal;
  /** Asks the user. Refused where the turn is called off meanwhile. */
  ask(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** Ends the program in the middle of a line. */
  crash(): Promise<void>;
}

/** Does one act after the other, and says why it stopped. What was begun is brought to an end in any case. */
export async function perform(stage: Stage, acts: readonly Act[]): Promise<StopReason> {
  const { session, signal } = stage;
  try {
    for (const act of acts) await performAct(stage, act);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await callOffUnfinished(session);
    await session.emit({ type: 'usage', usage: usageOf(session) });
  }
  return signal.aborted ? 'cancelled' : 'end_turn';
}

type ActOf<T extends Act['act']> = Extract<Act, { act: T }>;

function performAct(stage: Stage, act: Act): Promise<void> {
  // The table has one function for each act; TypeScript cannot see that the one looked up takes this act.
  const performer = performers[act.act] as (stage: Stage, act: Act) => Promise<void>;
  return performer(stage, act);
}

const performers: { readonly [T in Act['act']]: (stage: Stage, act: ActOf<T>) => Promise<void> } = {
  think: async (stage, act) => {
    if (stage.session.stored.settings.thoughts) await stream(stage, 'thought', [text(act.text)]);
  },
  say: (stage, { content }) => stream(stage, 'agent', content),
  plan: async (stage, { tasks }) => {
    for (let done = 0; done <= tasks.length; done += 1) {
      const entries = tasks.map((content, index) => ({
        content,
        priority: index === 0 ? ('high' as const) : ('medium' as const),
        status: planStatus(index, done),
      }));
      await tell(stage, { type: 'plan', plan: { step: 'plan', planId: 'plan', entries } });
    }
  },
  edit: performEdit,
  run: performRun,
  count: async (stage, { to, intervalMs }) => {
    const messageId = `message-${stage.session.nextNumber}`;
    for (let sheep = 1; sheep <= to; sheep += 1) {
      await tell(stage, { type: 'message_chunk', role: 'agent', messageId, block: text(`${sheep} 🐑 `) });
      await sleep(intervalMs, undefined, { signal: stage.signal });
    }
  },
  fail: async (stage, { message }) => {
    await stream(stage, 'agent', [text('This was going so well, and then')]);
    throw rpcErrors.internal(message);
  },
  crash: async (stage) => {
    await stream(stage, 'agent', [text('Before I say anything else, I should')]);
    await stage.crash();
  },
};

async function performEdit(stage: Stage, act: ActOf<'edit'>): Promise<void> {
  const { session } = stage;
  const path = join(session.stored.cwd, act.fileName);
  const edit: FileEdit = { type: 'edit', path, oldText: act.oldText, newText: act.newText };
  const call: ToolCall = {
    step: 'tool_call',
    toolCallId: `call-${session.nextNumber}`,
    name: 'edit_file',
    title: `Edit ${act.fileName}`,
    kind: 'edit',
    status: 'pending',
    locations: [{ path, line: 4 }],
    content: [edit],
    rawInput: { path },
  };
  await tell(stage, { type: 'tool_call', call });
  const answer = session.stored.settings.mode === 'auto' ? 'once' : await askFirst();
  stage.signal.throwIfAborted();
  if (answer === 'refused') {
    await tell(stage, { type: 'tool_call_finished', call: { ...call, status: 'failed' } });
    return stream(stage, 'agent', [text(act.refused)]);
  }
  if (answer === 'always') {
    const settings = { ...session.stored.settings, mode: 'auto' as const };
    await tell(stage, { type: 'mode_changed', settings });
    await tell(stage, { type: 'options_changed', settings });
  }
  await tell(stage, { type: 'tool_call_started', toolCallId: call.toolCallId });
  await tell(stage, { type: 'tool_call_finished', call: { ...call, status: 'completed' } });
  return stream(stage, 'agent', [text(act.allowed)]);

  async function askFirst(): Promise<PermissionAnswer> {
    await tell(stage, { type: 'state', state: 'requires_action' });
    const given = await stage.ask({
      title: `Change ${act.fileName}?`,
      description: 'One line is added. The demo agent only plays: no file on disk is touched.',
      call,
    });
    stage.signal.throwIfAborted();
    await tell(stage, { type: 'state', state: 'running' });
    return given;
  }
}

async function performRun(stage: Stage, { command, output }: ActOf<'run'>): Promise<void> {
  const { session } = stage;
  const { cwd } = session.stored;
  const toolCallId = `call-${session.nextNumber}`;
  const terminalId = `terminal-${session.nextNumber}`;
  const run: CommandRun = { type: 'command', terminalId, command, cwd, output: '', exitCode: null };
  await tell(stage, {
    type: 'tool_call',
    call: {
      step: 'tool_call',
      toolCallId,
      name: 'run_command',
      title: command,
      kind: 'execute',
      status: 'pending',
      locations: [],
      content: [],
      rawInput: { command },
    },
  });
  await tell(stage, { type: 'tool_call_started', toolCallId });
  await tell(stage, { type: 'command', run });
  await tell(stage, { type: 'tool_call_output', toolCallId, output: run });
  for (const line of output) await tell(stage, { type: 'command_output', terminalId, text: line });
  await tell(stage, { type: 'command_exited', terminalId, exitCode: 0 });
  const call = findToolCall(session.stored, toolCallId);
  if (!call) return;
  await tell(stage, {
    type: 'tool_call_finished',
    call: { ...call, status: 'completed', rawOutput: { exitCode: 0 } },
  });
}

async function stream(stage: Stage, role: Role, content: readonly Block[]): Promise<void> {
  const messageId = `message-${stage.session.nextNumber}`;
  for (const block of streamed(content)) await tell(stage, { type: 'message_chunk', role, messageId, block });
}

/** Tells the client, unless the turn was called off; then lets what the client says come in. */
async function tell({ session, signal }: Stage, event: SessionEvent): Promise<void> {
  signal.throwIfAborted();
  await session.emit(event);
  await nextTick();
}

/** What a signal ended has this exit code in a shell. */
const interrupted = 130;

async function callOffUnfinished(session: OpenSession): Promise<void> {
  for (const { toolCallId, content } of unfinishedToolCalls(session.stored)) {
    for (const output of content) {
      if (output.type === 'command' && output.exitCode === null) {
        const { terminalId } = output;
        await session.emit({ type: 'command_exited', terminalId, exitCode: interrupted });
      }
    }
    const call = findToolCall(session.stored, toolCallId);
    if (call) await session.emit({ type: 'tool_call_finished', call: { ...call, status: 'cancelled' } });
  }
}

function planStatus(index: number, done: number): 'pending' | 'in_progress' | 'completed' {
  if (index < done) return 'completed';
  return index === done ? 'in_progress' : 'pending';
}

/** Four characters are about one token. */
function usageOf(session: OpenSession): Usage {
  const used = 1000 + Math.ceil(JSON.stringify(session.stored.steps).length / 4);
  return { used, size: 200_000, cost: { amount: (used * 3) / 1_000_000, currency: 'USD' } };
}

/** The folder may be in the syntax of a system other than this one. */
function join(folder: string, fileName: string): string {
  const separator = folder.startsWith('/') ? '/' : '\\';
  return folder.endsWith(separator) ? `${folder}${fileName}` : `${folder}${separator}${fileName}`;
}
