import type { Feature } from '../../src/core/protocol/feature.ts';
import { partsOf } from '../schema/schemas.mjs';
import { officialDefs } from '../support/official-schema.ts';

/** What is unstable in the protocol, and where a user of the library meets it. */

/** What became stable after the release of the schemas that the tests read, with the page that says so. */
const stabilized: readonly { readonly parts: RegExp; readonly page: string }[] = [
  {
    parts: /systemPrompt|SystemPrompt/,
    page: 'https://agentclientprotocol.com/announcements/client-system-prompt-stabilized',
  },
  {
    parts: /^Plan|PlanUpdateContent|\.plan(?:_update|_removed)?$/,
    page: 'https://agentclientprotocol.com/announcements/plan-operations-stabilized',
  },
  {
    // The state of a subagent came to version 1 with it.
    parts: /[sS]ubagent|SessionCancel|SessionMessage|session_message|StateUpdate(?!\.usage)|ErrorStopReason/,
    page: 'https://agentclientprotocol.com/announcements/subagents-stabilized',
  },
];

/** Whether a part is stable by now, though the schemas call it unstable. */
export function isStabilized(part: string): boolean {
  return stabilized.some(({ parts }) => parts.test(part));
}

export interface Topic {
  readonly title: string;
  /** The parts of the published schemas: `Definition`, `Definition.field` or `Definition.value`. */
  readonly parts?: RegExp;
  readonly features?: readonly Feature[];
  /** The public names and their members, which have the tag `@experimental`. Not those of {@link AgentRequests}. */
  readonly names?: readonly string[];
}

export const topics: readonly Topic[] = [
  {
    title: 'copies of sessions',
    parts: /Fork|\.fork$/,
    features: ['session.fork'],
    names: ['ClientConnection.forkSession'],
  },
  {
    title: 'archived sessions',
    parts: /[aA]rchive|\.archived?$/,
    features: ['session.archive'],
    names: ['ListSessionsParams.archived'],
  },
  {
    title: 'the status of a session',
    parts: /^SessionStatus|^SessionCapabilities\.status$/,
    features: ['session.status'],
  },
  {
    title: 'the title of a session',
    parts: /SessionTitle|^SessionCapabilities\.title$/,
    features: ['session.title'],
  },
  {
    title: 'the state of the login',
    parts: /^Auth(?:State|Account|Status)|^AgentAuthCapabilities\.status$/,
    features: ['auth.status'],
    names: ['AuthStatus', 'ClientHandlers.authStatusChanged'],
  },
  {
    title: 'model providers',
    parts: /Provider|^LlmProtocol$|\.providers$/,
    features: ['providers'],
  },
  {
    title: 'MCP over the connection to the agent',
    parts: /Mcp.*(?:Message|Acp|Error|RequestId)|MessageMcp|^Mcp(?:Server|Capabilities)\.acp$/,
    features: ['session.mcp.acp'],
    names: ['McpMessage', 'McpMessageAnswer', 'ClientHandlers.mcpMessage'],
  },
  {
    title: 'the tokens of a turn',
    parts: /^Usage$|\.usage$/,
    names: ['TurnUsage', 'PromptResult.usage', 'SessionActivity.usage'],
  },
  {
    title: 'the plan that a tool call asks to approve, which is a convention of agents',
    names: ['askedPlan'],
  },
  {
    title: 'what a session starts with',
    features: ['session.options'],
    names: [
      'ClientConnection.sessionOptions',
      'InitialConfigOption',
      'NewSessionParams.configOptions',
      'SessionOptions',
      'SessionOptionsParams',
    ],
  },
  {
    title: 'messages for the running turn',
    features: ['session.steer', 'session.inject'],
    names: ['Session.steer', 'SteerOptions', 'SteerResult'],
  },
  {
    title: 'suggested prompts',
    names: ['ConnectOptions.promptSuggestions', 'Conversation.suggestions', 'PromptSuggestion'],
  },
  {
    title: 'positions in a session',
    names: [
      'ConnectOptions.cursors',
      'Conversation.cursors',
      'CursorAnchor',
      'CursorCapabilities',
      'CursorCompactionAnchor',
      'CursorMessageAnchor',
      'CursorPlace',
      'CursorToolCallAnchor',
      'CursorUpdate',
      'ForkSessionParams.cursorId',
      'SessionCursor',
    ],
  },
  {
    title: 'skills',
    features: ['session.prompt.skill', 'session.prompt.skill.inline'],
    names: ['AgentSkill', 'ConnectOptions.skills', 'SkillContent'],
  },
  {
    title: 'the limits of a plan, which are conventions of agents',
    names: ['RateLimit', 'rateLimitsOf'],
  },
  { title: 'programs between a client and an agent, which the library leaves out', parts: /Proxy/ },
];

/** The parts of a version that only the unstable schema has: definitions, and members of stable definitions. */
export function unstableParts(version: 1 | 2): readonly string[] {
  const stable = officialDefs(version, 'stable');
  return Object.entries(officialDefs(version)).flatMap(([name, definition]) => {
    const known = stable[name];
    if (known === undefined) return [name];
    const members = partsOf(known);
    return [...partsOf(definition)]
      .filter((part) => !members.has(part))
      .map((part) => `${name}.${memberOf(part)}`);
  });
}

/** A value of a union's tag is listed as `type: "acp"`. */
function memberOf(part: string): string {
  return /^\w+: "(.*)"$/.exec(part)?.[1] ?? part;
}
