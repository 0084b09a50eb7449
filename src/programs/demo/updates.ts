import type { JsonObject } from '../../core/base/json.ts';
import type { Session } from './session.ts';

// Updates in neutral form: those of version 2, but a diff has both texts, the terminal of a call that has ended its
// output, and a plan that is a document a name of its own.

/** The updates that show one entry of a transcript. Its number is a part of its ids. */
export type Step = (number: number) => readonly JsonObject[];

/** A content block of the protocol, or the text of a text block. */
export type Content = string | JsonObject;

export const messageId = (number: number) => `message-${number}`;
export const callId = (number: number) => `call-${number}`;

const blockOf = (content: Content): JsonObject =>
  typeof content === 'string' ? { type: 'text', text: content } : content;

export function user(...content: readonly Content[]): Step {
  return (number) => [
    { sessionUpdate: 'user_message', messageId: messageId(number), content: content.map(blockOf) },
  ];
}

/** A piece of a message that streams. */
export function chunk(type: 'agent_message' | 'agent_thought', number: number, content: Content): JsonObject {
  return { sessionUpdate: `${type}_chunk`, messageId: messageId(number), content: blockOf(content) };
}

const streamed =
  (type: 'agent_message' | 'agent_thought') =>
  (...content: readonly Content[]): Step =>
  (number) => [
    { sessionUpdate: type, messageId: messageId(number), content: [] },
    ...content.flatMap(pieces).map((piece) => chunk(type, number, piece)),
  ];

export const agent = streamed('agent_message');
export const thought = streamed('agent_thought');

/** Cuts a text into pieces of 24 code points, or into 200 pieces if it is long. */
function pieces(content: Content): readonly Content[] {
  if (typeof content !== 'string') return [content];
  const length = Math.max(24, Math.ceil(content.length / 200));
  return content.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? [];
}

/** The tasks in order. The first `done` tasks are completed, and the next one is in progress. */
export function plan(tasks: readonly string[], done: number): Step {
  const entries = tasks.map((content, index) => {
    const open = index === done ? 'in_progress' : 'pending';
    return { content, priority: 'medium', status: index < done ? 'completed' : open };
  });
  return () => [{ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } }];
}

/** A plan that is a document in a file. */
export function document(path: string, content: string): Step {
  const plan = { type: 'markdown', planId: 'document', content, path };
  return () => [{ sessionUpdate: 'plan_document', plan }];
}

/** What a tool call says from its start. */
export type Call = JsonObject & { readonly title: string };

/** A change of a tool call. */
function callUpdate(number: number, fields: JsonObject): JsonObject {
  return { sessionUpdate: 'tool_call_update', toolCallId: callId(number), ...fields };
}

export const started = (number: number, call: Call) =>
  callUpdate(number, { status: 'pending', locations: [], content: [], ...call });

export const inProgress = (number: number) => callUpdate(number, { status: 'in_progress' });

export const ended = (number: number, end: JsonObject) => callUpdate(number, { status: 'completed', ...end });

/** A tool call from its start to its end. Without a status it is completed. */
export function call(fields: Call, end: JsonObject = {}): Step {
  return (number) => [started(number, fields), ended(number, end)];
}

/** What a tool call reports. */
export const reported = (text: string) => ({ content: [{ type: 'content', content: blockOf(text) }] });

const verbs = { read: 'Read', edit: 'Edit', delete: 'Delete' } as const;

/** A call of a tool that does something with a file. */
export function file(kind: keyof typeof verbs, path: string, line?: number): Call {
  const title = `${verbs[kind]} ${path.slice(path.lastIndexOf('/') + 1)}`;
  const locations = [{ path, ...(line !== undefined && { line }) }];
  return { name: `${kind}_file`, title, kind, locations, rawInput: { path } };
}

export function edit(path: string, line: number, oldText: string, newText: string): Call {
  return { ...file('edit', path, line), content: [{ type: 'diff', path, oldText, newText }] };
}

const shell = { name: 'run_command', kind: 'execute' };

/** A command. Its output comes in two pieces of bytes, of which the first one may end inside a character. */
export function run(command: string, cwd: string, output: string, exitCode = 0): Step {
  return (number) => {
    const terminalId = `terminal-${number}`;
    const terminal = (tag: string, fields: JsonObject) => ({ sessionUpdate: tag, terminalId, ...fields });
    const bytes = new TextEncoder().encode(output);
    const middle = bytes.length >> 1;
    const item = { type: 'terminal', terminalId };
    return [
      terminal('terminal_update', { command, cwd, output: { data: '' } }),
      started(number, { ...shell, title: command, rawInput: { command }, content: [item] }),
      inProgress(number),
      ...[bytes.subarray(0, middle), bytes.subarray(middle)].map((part) =>
        terminal('terminal_output_chunk', { data: btoa(String.fromCharCode(...part)) }),
      ),
      terminal('terminal_update', { exitStatus: { exitCode } }),
      ended(number, {
        status: exitCode === 0 ? 'completed' : 'failed',
        rawOutput: { exitCode },
        content: [{ ...item, output }],
      }),
    ];
  };
}

export function infoUpdates({ title, updatedAt, history }: Session): readonly JsonObject[] {
  // One token is about four characters.
  const used = 1000 + Math.ceil(JSON.stringify(history).length / 4);
  const cost = { amount: (used * 3) / 1_000_000, currency: 'USD' };
  return [
    { sessionUpdate: 'usage_update', used, size: 200_000, cost },
    { sessionUpdate: 'session_info_update', title, updatedAt },
  ];
}
