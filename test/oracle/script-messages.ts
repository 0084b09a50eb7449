import type { JsonObject } from '../../src/core/base/json.ts';
import { everything } from '../support/agents.ts';

/** Messages as the authors of tests write them, right and wrong. */
export interface Sent {
  readonly kind: 'update' | 'answer' | 'message';
  /** The kind of the update, or the method. */
  readonly name: string;
  readonly content: JsonObject;
}

const update = (name: string, content: JsonObject): Sent => ({ kind: 'update', name, content });
const answer = (name: string, content: JsonObject): Sent => ({ kind: 'answer', name, content });
const message = (name: string, content: JsonObject): Sent => ({ kind: 'message', name, content });

const text = { type: 'text', text: 'Hi.' };
const image = { type: 'image', data: 'QUFB', mimeType: 'image/png' };
const link = { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' };
const option = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
/** A Markdown plan. */
const document = (more: JsonObject) =>
  update('plan_update', { plan: { type: 'markdown', planId: 'p', content: '# Plan', ...more } });
const entry = { content: 'Read', priority: 'high', status: 'pending' };

const chunk = (content: unknown, more: JsonObject = {}) =>
  update('agent_message_chunk', { messageId: 'm', content, ...more } as JsonObject);

/** An updated tool call, which both versions have. */
const tool = (more: JsonObject) => update('tool_call_update', { toolCallId: 't', ...more });
const shows = (...content: readonly unknown[]) => tool({ content } as JsonObject);

const form = (more: JsonObject) =>
  message('elicitation/create', {
    sessionId: 's',
    mode: 'form',
    message: 'Which one?',
    requestedSchema: { type: 'object', properties: {} },
    ...more,
  });
const asks = (property: JsonObject) =>
  form({ requestedSchema: { type: 'object', properties: { a: property } } });
const select = {
  type: 'select',
  name: 'Mode',
  currentValue: 'ask',
  options: [{ value: 'ask', name: 'Ask' }],
};

/** Correct in both versions. */
const right: readonly Sent[] = [
  chunk(text),
  chunk({ ...text, annotations: { audience: ['user'], priority: 0.5 } }),
  chunk({ ...text, _meta: { mine: true } }),
  chunk(image),
  chunk({ type: 'audio', data: 'QUFB', mimeType: 'audio/wav' }),
  chunk({ ...link, size: 12, title: null }),
  chunk({ type: 'resource', resource: { uri: 'file:///a', text: 'A' } }),
  chunk({ type: 'resource', resource: { uri: 'file:///a', blob: 'QUFB', mimeType: 'image/png' } }),
  update('agent_thought_chunk', { messageId: 'm', content: text }),
  update('user_message_chunk', { messageId: 'm', content: text, _meta: null }),
  tool({ title: 'Read', kind: 'read', status: 'in_progress' }),
  tool({ title: null, status: 'completed', rawInput: { any: 1 }, rawOutput: 'done' }),
  tool({ locations: [{ path: '/a', line: 3 }] }),
  shows({ type: 'content', content: text }, { type: 'terminal', terminalId: 'x' }),
  update('session_info_update', { title: 'A title', updatedAt: null }),
  update('usage_update', { used: 1, size: 200, cost: { amount: 0.1, currency: 'USD' } }),
  update('notice', { severity: 'warning', title: 'Careful.' }),
  update('compaction_update', { compactionId: 'c', status: 'in_progress' }),
  document({}),
  update('plan_removed', { planId: 'p' }),
  message('$/cancel_request', { requestId: 7 }),
  message('elicitation/complete', { elicitationId: 'e' }),
  message('_mine/news', { anything: [1] }),
  form({}),
  asks({ type: 'string', format: 'email', minLength: 1 }),
  asks({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }),
  answer('session/new', { sessionId: 's' }),
  answer('session/close', {}),
  answer('session/list', { sessions: [{ sessionId: 's', cwd: '/a', title: 'A' }], nextCursor: 'next' }),
  answer('session/resume', { _meta: { mine: 1 } }),
  answer('_mine/status', { anything: true }),
];

export const correct: Readonly<Record<1 | 2, readonly Sent[]>> = {
  1: [
    ...right,
    update('tool_call', { toolCallId: 't', title: 'T', kind: 'edit', status: 'pending', content: [] }),
    update('plan', { entries: [entry] }),
    update('current_mode_update', { currentModeId: 'ask' }),
    update('available_commands_update', { availableCommands: [{ name: 'a', description: 'A' }] }),
    update('config_option_update', { configOptions: [{ id: 'mode', ...select, category: '_mine' }] }),
    shows({ type: 'diff', path: '/a', oldText: null, newText: 'A' }),
    message('session/request_permission', {
      sessionId: 's',
      toolCall: { toolCallId: 't' },
      options: [option],
    }),
    message('fs/read_text_file', { sessionId: 's', path: '/a', line: 1, limit: null }),
    message('fs/write_text_file', { sessionId: 's', path: '/a', content: '' }),
    message('terminal/create', {
      sessionId: 's',
      command: 'ls',
      args: ['-l'],
      env: [{ name: 'A', value: '1' }],
    }),
    answer('initialize', everything.v1),
    answer('session/prompt', { stopReason: 'end_turn' }),
    answer('session/load', {}),
    answer('session/set_mode', {}),
  ],
  2: [
    ...right,
    update('_mine_update', { anything: true }),
    chunk({ type: '_chart', points: [1, 2] }),
    tool({ kind: '_mine', status: '_waiting' }),
    update('user_message', { messageId: 'm', content: [text, image] }),
    update('agent_message', { messageId: 'm', content: null }),
    update('state_update', { state: 'running' }),
    update('state_update', { state: 'idle', stopReason: 'end_turn' }),
    update('state_update', { state: '_dreaming' }),
    update('plan_update', { plan: { type: 'items', planId: 'p', entries: [entry] } }),
    update('terminal_update', { terminalId: 'x', command: 'ls', size: { cols: 80, rows: 24 } }),
    update('terminal_output_chunk', { terminalId: 'x', data: 'QUFB' }),
    shows({
      type: 'diff',
      changes: [{ operation: 'add', path: '/a' }],
      patch: { format: 'git_patch', text: '' },
    }),
    message('session/request_permission', { sessionId: 's', title: 'May I?', options: [option] }),
    answer('initialize', everything['v2-baseline']),
    answer('session/prompt', { messageId: 'm' }),
  ],
};

/** Wrong in both versions. */
const wrong: readonly Sent[] = [
  chunk('Hi.'),
  chunk([text]),
  chunk(null),
  chunk({ text: 'Hi.' }),
  chunk({ type: 'text' }),
  chunk({ type: 'text', text: ['Hi.'] }),
  chunk({ type: 'text', content: 'Hi.' }),
  chunk({ ...text, annotations: 'user' }),
  chunk({ ...text, annotations: { audience: 'user' } }),
  chunk({ ...text, annotations: { priority: 'high' } }),
  chunk({ ...text, _meta: 'mine' }),
  chunk({ type: 'image', data: 'QUFB' }),
  chunk({ type: 'image', data: 7, mimeType: 'image/png' }),
  chunk({ type: 'audio', mimeType: 'audio/wav' }),
  chunk({ type: 'resource_link', uri: 'file:///a' }),
  chunk({ ...link, size: '12' }),
  chunk({ type: 'resource', uri: 'file:///a', text: 'A' }),
  chunk({ type: 'resource', resource: { text: 'A' } }),
  chunk({ type: 'resource', resource: { uri: 'file:///a' } }),
  chunk(text, { messageId: 7 }),
  update('agent_message_chunk', { messageId: 'm' }),
  update('tool_call_update', { title: 'T' }),
  tool({ toolCallId: 7 }),
  tool({ title: ['T'] }),
  tool({ kind: 7 }),
  tool({ status: true }),
  tool({ content: text }),
  shows('Hi.'),
  shows({ type: 'content', text: 'Hi.' }),
  shows({ type: 'content', content: 'Hi.' }),
  shows({ type: 'content', content: [text] }),
  shows({ type: 'terminal', id: 'x' }),
  tool({ locations: ['/a'] }),
  tool({ locations: [{ path: 1 }] }),
  tool({ locations: [{ path: '/a', line: '3' }] }),
  update('session_info_update', { title: 7 }),
  update('usage_update', { used: 1 }),
  update('usage_update', { used: -1, size: 200 }),
  update('usage_update', { used: 1.5, size: 200 }),
  update('usage_update', { used: 1, size: 200, cost: 'much' }),
  update('usage_update', { used: 1, size: 200, cost: { amount: 1 } }),
  update('notice', { severity: 'warning', title: '' }),
  update('notice', { title: 'Careful.' }),
  update('compaction_update', { compactionId: 'c' }),
  message('session/update', { sessionId: 's' }),
  message('session/update', { update: { sessionUpdate: 'agent_message_chunk', content: text } }),
  message('elicitation/complete', {}),
  form({ message: 7 }),
  form({ requestedSchema: 'string' }),
  asks({ type: 'string', minLength: -1 }),
  asks({ type: 'boolean', default: 'yes' }),
  message('elicitation/create', {
    sessionId: 's',
    mode: 'url',
    message: 'Open it.',
    url: 'https://a.example',
  }),
  answer('session/new', {}),
  answer('session/new', { session: 's' }),
  answer('session/new', { sessionId: 's', configOptions: {} }),
  answer('session/list', { sessions: ['s'] }),
  answer('session/list', { sessions: [{ sessionId: 's' }] }),
  answer('session/list', {}),
  answer('session/close', { _meta: true }),
];

export const mistakes: Readonly<Record<1 | 2, readonly Sent[]>> = {
  1: [
    ...wrong,
    chunk({ type: 'txt', text: 'Hi.' }),
    chunk({ type: '_chart', points: [] }),
    chunk({ ...text, annotations: { audience: ['robot'] } }),
    shows(text),
    shows({ type: 'diff', path: '/a' }),
    tool({ status: 'done' }),
    tool({ status: '_waiting' }),
    tool({ kind: 'exec' }),
    update('_mine_update', { anything: true }),
    update('agent_message', { messageId: 'm', content: [text] }),
    update('state_update', { state: 'idle' }),
    update('tool_call', { toolCallId: 't' }),
    update('tool_call', { toolCallId: 't', title: 'T', status: 'running' }),
    update('plan', { entries: [{ ...entry, priority: 'hi' }] }),
    update('plan', { entries: [{ ...entry, status: 'done' }] }),
    update('plan', { entries: [{ priority: 'high', status: 'pending' }] }),
    update('plan', {}),
    update('current_mode_update', { modeId: 'ask' }),
    update('available_commands_update', { availableCommands: ['a'] }),
    update('config_option_update', { configOptions: [{ id: 'mode', ...select, type: 'choice' }] }),
    message('session/request_permission', { sessionId: 's', options: [option] }),
    message('session/request_permission', {
      sessionId: 's',
      toolCall: { toolCallId: 't' },
      options: [{ ...option, kind: 'allow' }],
    }),
    message('fs/read_text_file', { path: '/a' }),
    message('fs/read_text_file', { sessionId: 's', path: '/a', line: -1 }),
    message('terminal/create', { sessionId: 's', command: ['ls'] }),
    message('terminal/create', { sessionId: 's', command: 'ls', env: { A: '1' } }),
    message('terminal/create', { sessionId: 's', command: 'ls', args: null }),
    answer('initialize', { protocolVersion: '1' }),
    answer('initialize', { ...everything.v1, agentCapabilities: { loadSession: {} } }),
    answer('initialize', { ...everything.v1, authMethods: [{ id: 'key' }] }),
    answer('session/prompt', {}),
    answer('session/prompt', { stopReason: 'done' }),
    answer('session/prompt', { stopReason: 'end_turn', usage: { totalTokens: 1 } }),
    answer('session/set_config_option', {}),
  ],
  2: [
    ...wrong,
    update('user_message', { messageId: 'm', content: text }),
    update('user_message', { content: [text] }),
    update('user_message', { messageId: 'm', content: ['Hi.'] }),
    update('state_update', {}),
    update('state_update', { state: 'running', background: [{ type: 'terminal' }] }),
    update('state_update', { state: 'idle', stopReason: 7 }),
    update('plan_update', { entries: [entry] }),
    update('plan_update', { plan: { type: 'items', entries: [entry] } }),
    update('terminal_update', { command: 'ls' }),
    update('terminal_update', { terminalId: 'x', size: { cols: 0, rows: 24 } }),
    update('terminal_output_chunk', { terminalId: 'x' }),
    update('available_commands_update', { availableCommands: [{ name: 'a', description: 'A' }] }),
    update('config_option_update', { configOptions: [{ id: 'mode', ...select }] }),
    shows({ type: 'diff', path: '/a', newText: 'A' }),
    shows({ type: 'diff', changes: [{ operation: 'move', path: '/a' }] }),
    message('session/request_permission', { sessionId: 's', options: [option] }),
    message('session/request_permission', { sessionId: 's', title: 'May I?', options: [] }),
    answer('initialize', { protocolVersion: 2 }),
    answer('initialize', { ...everything['v2-baseline'], capabilities: { session: true } }),
    answer('session/prompt', {}),
    answer('session/prompt', { stopReason: 'end_turn' }),
    answer('session/set_config_option', {}),
  ],
};

/** Fields that do not exist, and what a newer schema refuses. The published schema lets them pass. */
const misspelt: readonly Sent[] = [
  document({ path: 'PLAN.md' }),
  update('plan_update', { plan: { type: 'file', planId: 'p', uri: 'file:///PLAN.md' } }),
  update('user_message_chunk', { messageId: 'm', content: text, messageld: 'm' }),
  chunk({ ...text, anotations: {} }),
  chunk({ type: 'resource', resource: { uri: 'file:///a', text: 'A', mimetype: 'text/plain' } }),
  tool({ titel: 'T' }),
  tool({ rawinput: {} }),
  shows({ type: 'content', content: { ...text, lang: 'en' } }),
  tool({ locations: [{ path: '/a', column: 3 }] }),
  update('usage_update', { used: 1, size: 200, total: 3 }),
  asks({ type: 'string', minlength: 1 }),
  answer('session/new', { sessionId: 's', model: 'x' }),
  answer('session/list', { sessions: [], cursor: 'next' }),
  answer('session/close', { ok: true }),
];

/** Names that are reserved for the protocol: those of extensions begin with `_`. The published schema lets them pass. */
export const stricter: Readonly<Record<1 | 2, readonly Sent[]>> = {
  1: [
    ...misspelt,
    update('notice', { severity: 'fatal', title: 'Careful.' }),
    update('config_option_update', { configOptions: [{ id: 'mode', ...select, category: 'modes' }] }),
    answer('initialize', { ...everything.v1, capabilities: {} }),
  ],
  2: [
    ...misspelt,
    update('agent_mesage_chunk', { messageId: 'm', content: text }),
    chunk({ type: 'txt', text: 'Hi.' }),
    shows(text),
    tool({ status: 'done' }),
    tool({ kind: 'exec' }),
    update('state_update', { state: 'busy' }),
    update('state_update', { state: 'idle', stopReason: 'done' }),
    update('plan_update', { plan: { type: 'items', planId: 'p', entries: [{ ...entry, priority: 'hi' }] } }),
    answer('initialize', { ...everything['v2-baseline'], agentCapabilities: {} }),
  ],
};

const newerInBoth: readonly Sent[] = [
  shows({ type: 'session', sessionId: 'child' }),
  update('subagent_update', { sessionId: 'child', state: { state: 'running' } }),
  update('session_message_chunk', { messageId: 'm', content: text }),
  document({ path: 'C:\\work\\PLAN.md' }),
  update('cursor_update', {
    cursorId: 'c',
    anchor: { type: 'tool_call', toolCallId: 't', position: 'after' },
    capabilities: { fork: {} },
  }),
];

const fast = { name: 'Fast', type: 'boolean', currentValue: true, category: 'speed' };
const skill = { type: 'skill', name: 'pdf' };

/** What became a part of the protocol after the release of the published schemas. */
export const newer: Readonly<Record<1 | 2, readonly Sent[]>> = {
  1: [...newerInBoth, update('config_option_update', { configOptions: [{ ...fast, id: 'fast' }] })],
  2: [
    ...newerInBoth,
    update('config_option_update', { configOptions: [{ ...fast, configId: 'fast' }] }),
    answer('initialize', {
      protocolVersion: 2,
      info: { name: 'a', version: '1' },
      capabilities: { session: { prompt: { skill: { inline: {} } } } },
    }),
    update('user_message', { messageId: 'm', content: [skill] }),
    update('available_commands_update', {
      availableCommands: [{ ...skill, description: 'Reads', path: '/s/SKILL.md' }],
    }),
  ],
};
