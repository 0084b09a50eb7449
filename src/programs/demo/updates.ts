import { Buffer } from 'node:buffer';
import type { JsonObject } from '../../base/json.ts';
import type { CommandRun, Document, Mode, Plan, Session, Step, ToolCall } from './session.ts';

// Updates in neutral form: those of version 2, but a diff has both texts, and a finished terminal has its output.

const textBlock = (text: string): JsonObject => ({ type: 'text', text });

export const messageId = (number: number) => `message-${number}`;

export const toolCallId = (number: number) => `call-${number}`;

/** Updates that show a step from its start. A live turn and a replay send the same ones. */
export function stepUpdates(step: Step, number: number): readonly JsonObject[] {
  if (step.type === 'plan') return [planUpdate(step)];
  if (step.type === 'document') return [documentUpdate(step)];
  if (!('content' in step)) {
    return [...callUpdates(step, number), ...(step.status === 'pending' ? [] : resultUpdates(step, number))];
  }
  const { type, content } = step;
  const tag = type === 'thought' ? 'agent_thought' : `${type}_message`;
  const message = { sessionUpdate: tag, messageId: messageId(number) };
  const blocks = content.flatMap((part) => (typeof part === 'string' ? pieces(part).map(textBlock) : [part]));
  if (type === 'user') return [{ ...message, content: blocks }];
  const chunks = blocks.map((block) => ({ ...message, sessionUpdate: `${tag}_chunk`, content: block }));
  return [{ ...message, content: [] }, ...chunks];
}

/** A piece of the agent's message. */
export function textChunk(number: number, text: string): JsonObject {
  return { sessionUpdate: 'agent_message_chunk', messageId: messageId(number), content: textBlock(text) };
}

/** Cuts a text into pieces of 24 code points, or into 200 pieces if it is long. */
function pieces(text: string): readonly string[] {
  const length = Math.max(24, Math.ceil(text.length / 200));
  return text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? [];
}

function planUpdate({ tasks, done }: Plan): JsonObject {
  const entries = tasks.map((content, index) => {
    const open = index === done ? 'in_progress' : 'pending';
    return { content, priority: 'medium', status: index < done ? 'completed' : open };
  });
  return { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } };
}

function documentUpdate({ path, markdown }: Document): JsonObject {
  return {
    sessionUpdate: 'plan_update',
    plan: { type: 'markdown', planId: 'document', content: markdown, path },
  };
}

const verbs = { read: 'Read', edit: 'Edit', delete: 'Delete' } as const;

/** A tool call that is pending. */
export function pendingCall(call: ToolCall, number: number): JsonObject {
  const common = { toolCallId: toolCallId(number), status: 'pending' };
  if (call.type === 'tool') {
    const { name, input } = call;
    return { ...common, name, title: name, kind: 'other', locations: [], rawInput: input, content: [] };
  }
  if (call.type === 'run') {
    const content = [{ type: 'terminal', terminalId: `terminal-${number}` }];
    const described = { name: 'run_command', title: call.command, kind: 'execute', locations: [] };
    return { ...common, ...described, rawInput: { command: call.command }, content };
  }
  if (call.type === 'approve') {
    const described = { name: 'exit_plan_mode', title: 'Carry out the plan', kind: 'switch_mode' };
    return { ...common, ...described, locations: [], rawInput: {}, content: resultContent(call, number) };
  }
  const { type, path, line } = call;
  return {
    ...common,
    name: `${type}_file`,
    title: `${verbs[type]} ${path.slice(path.lastIndexOf('/') + 1)}`,
    kind: type,
    locations: [{ path, ...(line !== undefined && { line }) }],
    rawInput: { path },
    content: type === 'edit' ? resultContent(call, number) : [],
  };
}

function callUpdates(call: ToolCall, number: number): readonly JsonObject[] {
  const update = { sessionUpdate: 'tool_call_update', ...pendingCall(call, number) };
  if (call.type !== 'run') return [update];
  const { command, cwd } = call;
  return [terminalUpdate(number, { command, cwd, output: { data: '' } }), update, inProgress(number)];
}

/** Updates that show how a tool call ended. */
export function resultUpdates(call: ToolCall, number: number): readonly JsonObject[] {
  const update = {
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCallId(number),
    status: call.status ?? 'completed',
    content: resultContent(call, number),
    ...(call.type === 'run' && { rawOutput: { exitCode: call.exitCode } }),
  };
  return call.type === 'run' ? [...outputUpdates(call, number), update] : [update];
}

function resultContent(call: ToolCall, number: number): readonly JsonObject[] {
  if (call.type === 'run')
    return [{ type: 'terminal', terminalId: `terminal-${number}`, output: call.output }];
  if (call.type === 'edit') {
    const { path, oldText, newText } = call;
    return [{ type: 'diff', path, oldText, newText }];
  }
  return call.text === undefined ? [] : [{ type: 'content', content: textBlock(call.text) }];
}

/** The output comes in two pieces of bytes. The first one may end inside a character. */
function outputUpdates({ output, exitCode }: CommandRun, number: number): readonly JsonObject[] {
  const bytes = Buffer.from(output);
  const middle = bytes.length >> 1;
  const chunks = [bytes.subarray(0, middle), bytes.subarray(middle)].map((part) => ({
    sessionUpdate: 'terminal_output_chunk',
    terminalId: `terminal-${number}`,
    data: part.toString('base64'),
  }));
  return [...chunks, terminalUpdate(number, { exitStatus: { exitCode } })];
}

function terminalUpdate(number: number, fields: JsonObject): JsonObject {
  return { sessionUpdate: 'terminal_update', terminalId: `terminal-${number}`, ...fields };
}

export function inProgress(number: number): JsonObject {
  return { sessionUpdate: 'tool_call_update', toolCallId: toolCallId(number), status: 'in_progress' };
}

export function infoUpdates({ title, updatedAt, steps }: Session): readonly JsonObject[] {
  // One token is about four characters.
  const used = 1000 + Math.ceil(JSON.stringify(steps).length / 4);
  const cost = { amount: (used * 3) / 1_000_000, currency: 'USD' };
  return [
    { sessionUpdate: 'usage_update', used, size: 200_000, cost },
    { sessionUpdate: 'session_info_update', title, updatedAt },
  ];
}

/** The modes of a session. They are also the values of its only option, because version 2 has no modes. */
export const modes: readonly { readonly value: Mode; readonly name: string; readonly description: string }[] =
  [
    { value: 'ask', name: 'Ask first', description: 'Asks before it changes a file.' },
    { value: 'auto', name: 'Go ahead', description: 'Changes files without asking.' },
  ];

export function modeOption(mode: Mode): JsonObject {
  return {
    name: 'Mode',
    description: 'Whether the agent asks before it changes a file.',
    category: 'mode',
    type: 'select',
    currentValue: mode,
    options: modes,
  };
}
