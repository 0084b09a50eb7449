import type { JsonObject } from '../json.ts';
import type { Block, Message, Plan, PlanEntry, Role, Step, ToolCall, ToolOutput } from './history.ts';
import { text } from './history.ts';

// A small language for writing a session's history down. Ids count up with the history, as they do live.

type Draft = (number: number) => Step;

export function history(...drafts: readonly Draft[]): readonly Step[] {
  return drafts.map((draft, index) => draft(index + 1));
}

export const userSays = messageBy('user');
export const agentSays = messageBy('agent');
export const agentThinks = messageBy('thought');

function messageBy(role: Role) {
  return (...content: readonly (string | Block)[]): Draft =>
    (number): Message => ({
      step: 'message',
      role,
      messageId: `message-${number}`,
      content: content.map((block) => (typeof block === 'string' ? text(block) : block)),
    });
}

/** The tasks in order; all before `current` are done. */
export function plan(tasks: readonly string[], current: number): Draft {
  const entries = tasks.map((content, index): PlanEntry => {
    const notDone = index === current ? 'in_progress' : 'pending';
    return { content, priority: 'medium', status: index < current ? 'completed' : notDone };
  });
  return (): Plan => ({ step: 'plan', planId: 'plan', entries });
}

export function runs(cwd: string, command: string, exitCode: number, output: readonly string[]): Draft {
  return toolCall({
    name: 'run_command',
    title: command,
    kind: 'execute',
    status: exitCode === 0 ? 'completed' : 'failed',
    rawInput: { command },
    rawOutput: { exitCode },
    content: (number) => [
      {
        type: 'command',
        terminalId: `terminal-${number}`,
        command,
        cwd,
        output: output.map((line) => `${line}\n`).join(''),
        exitCode,
      },
    ],
  });
}

export function reads(path: string, content: string, line = 1): Draft {
  return toolCall({
    name: 'read_file',
    title: `Read ${fileName(path)}`,
    kind: 'read',
    status: 'completed',
    locations: [{ path, line }],
    rawInput: { path },
    content: () => [{ type: 'block', block: text(content) }],
  });
}

export function edits(path: string, line: number, oldText: string, newText: string): Draft {
  return toolCall({
    name: 'edit_file',
    title: `Edit ${fileName(path)}`,
    kind: 'edit',
    status: 'completed',
    locations: [{ path, line }],
    rawInput: { path },
    content: () => [{ type: 'edit', path, oldText, newText }],
  });
}

export function deletes(path: string, status: 'completed' | 'failed', outcome: string): Draft {
  return toolCall({
    name: 'delete_file',
    title: `Delete ${fileName(path)}`,
    kind: 'delete',
    status,
    locations: [{ path }],
    rawInput: { path },
    content: () => [{ type: 'block', block: text(outcome) }],
  });
}

/** A read that the user called off. */
export function beginsToRead(path: string, line: number): Draft {
  return toolCall({
    name: 'read_file',
    title: `Read ${fileName(path)}`,
    kind: 'read',
    status: 'cancelled',
    locations: [{ path, line }],
    rawInput: { path },
    content: () => [],
  });
}

interface ToolCallDraft extends Pick<ToolCall, 'name' | 'title' | 'kind' | 'status' | 'rawInput'> {
  readonly locations?: ToolCall['locations'];
  readonly rawOutput?: JsonObject;
  readonly content: (number: number) => readonly ToolOutput[];
}

function toolCall({ content, locations = [], ...rest }: ToolCallDraft): Draft {
  return (number): ToolCall => ({
    step: 'tool_call',
    toolCallId: `call-${number}`,
    locations,
    ...rest,
    content: content(number),
  });
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
