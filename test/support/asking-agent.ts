import { type ScriptedAgent, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { everything, text } from './agents.ts';

/** The options of its request: one of each kind. */
export const permissionOptions = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'yes-always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  { optionId: 'no-always', name: 'Never allow', kind: 'reject_always' },
];

/** What the agent was answered. */
export interface Run {
  readonly agent: ScriptedAgent;
  readonly outcomes: unknown[];
}

/** An agent of version 1 that does this in each turn. */
export function answering(prompt: Parameters<ScriptedAgent['on']>[1]): ScriptedAgent {
  return scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', prompt);
}

export const says = (said: string) => ({ sessionUpdate: 'agent_message_chunk', content: text(said) });

/** Asks for a permission, and gives what was answered. */
export async function asks(
  by: ScriptedAgent,
  toolCallId: string,
  options = permissionOptions,
  sessionId = 's1',
): Promise<{ readonly outcome: string; readonly optionId?: string }> {
  const params = { sessionId, toolCall: { toolCallId, title: 'Delete' }, options };
  const { result } = await by.request('session/request_permission', params);
  // The answer to a request of a permission has an outcome.
  return (result as { outcome: { outcome: string; optionId?: string } }).outcome;
}

const search = { toolCallId: 't0', title: 'Search' };
const remove = { toolCallId: 't1', title: 'Delete' };

/** An agent whose subagent asks in each turn. */
export function subagentAsking(): Run {
  const outcomes: unknown[] = [];
  const agent = answering(async (_, by) => {
    by.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' });
    outcomes.push(await asks(by, 't9', permissionOptions, 'child'));
    return { stopReason: 'end_turn' };
  });
  return { agent, outcomes };
}

/** An agent that asks for a permission in each turn, and says what it was answered. */
export function asking(asked: typeof permissionOptions = permissionOptions): Run {
  const outcomes: unknown[] = [];
  const agent = answering(async (_, by) => {
    by.update(
      's1',
      says('I begin. '),
      { sessionUpdate: 'tool_call', ...search, kind: 'search', status: 'in_progress' },
      { sessionUpdate: 'tool_call', ...remove, kind: 'delete', rawInput: { path: '/a' } },
    );
    const outcome = await asks(by, 't1', asked);
    outcomes.push(outcome);
    by.update(
      's1',
      { sessionUpdate: 'tool_call_update', toolCallId: 't0', status: 'completed' },
      { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', rawOutput: 'done' },
      says(`Answered ${outcome.optionId ?? outcome.outcome}.`),
    );
    return { stopReason: outcome.outcome === 'cancelled' ? 'cancelled' : 'end_turn' };
  });
  return { agent, outcomes };
}
