// The parts of the protocol that came after its core, in one list: docs/versions.md shows it, `npm run suite -- schema`
// fails for a new part that it does not name, and `protocolSchema` says which of them no schema has been compared with.

/**
 * @typedef {object} Part
 * @property {string} title
 * @property {readonly string[]} wire - Its names on the wire. The library has the part if src/core/protocol has all of them.
 * @property {RegExp} names - The names of its definitions, fields, values and methods in the schemas.
 * @property {Readonly<Record<1 | 2, string | null>>} since - The schema that has it first; `null`: not in this version.
 * @property {Readonly<Record<1 | 2, boolean>>} stable
 */

/** In the schemas of the official SDK 2.4.0, or before. */
const published = { 1: '2.4.0', 2: '2.4.0' };
const never = { 1: false, 2: false };
const both = { 1: true, 2: true };
const preview = { 1: null, 2: 'Preview' };

/** @type {readonly Part[]} */
export const parts = [
  {
    title: 'subagents, and messages between sessions',
    wire: ['subagent_update', 'session_message', 'session_message_chunk'],
    names: /[sS]ubagent|SessionMessage|session_message/,
    since: published,
    stable: both,
  },
  {
    title: 'the system prompt of a client',
    wire: ['systemPrompt'],
    names: /[sS]ystemPrompt/,
    since: published,
    stable: both,
  },
  {
    title: 'compaction of a session',
    wire: ['compaction_update', 'compaction_summary_chunk'],
    names: /[cC]ompaction/,
    since: published,
    stable: both,
  },
  {
    title: 'plans as Markdown documents with a file, and their removal',
    wire: ['plan_update', 'plan_removed', 'markdown'],
    names: /Plan|plan/,
    since: { 1: '1.33 or 1.34', 2: 'Preview' },
    stable: both,
  },
  {
    title: 'the end of a replay',
    wire: ['replay_complete'],
    names: /[rR]eplay_?[cC]omplete/,
    since: preview,
    stable: { 1: false, 2: true },
  },
  {
    title: 'keys of prompts',
    wire: ['idempotencyKey'],
    names: /[iI]dempotency/,
    since: preview,
    stable: { 1: false, 2: true },
  },
  {
    title: 'what a session starts with',
    wire: ['session/options'],
    names: /session\/options|SessionOptions|InitialConfig|SessionCapabilities\.options|\.configOptions$/,
    since: { 1: '1.32', 2: 'Preview' },
    stable: never,
  },
  {
    title: 'suggested prompts',
    wire: ['prompt_suggestions_update'],
    names: /[pP]rompt_?[sS]uggestion/,
    since: { 1: '1.32', 2: 'Preview' },
    stable: never,
  },
  {
    title: 'cursors of a session',
    wire: ['cursor_update', 'cursorId'],
    names: /[cC]ursor/,
    since: { 1: '1.33 or 1.34', 2: 'Preview' },
    stable: never,
  },
  {
    title: 'skills of an agent',
    wire: ['skill'],
    names: /[sS]kill|\.commands$/,
    since: preview,
    stable: never,
  },
  {
    title: 'the category `speed` of a config option',
    wire: ['speed'],
    names: /"speed"/,
    since: { 1: '1.32', 2: 'Preview' },
    stable: never,
  },
  {
    title: 'copies of sessions',
    wire: ['session/fork'],
    names: /session\/fork|Fork|\.fork$/,
    since: published,
    stable: never,
  },
  {
    title: 'archived sessions',
    wire: ['session/archive', 'session/unarchive'],
    names: /[aA]rchive/,
    since: published,
    stable: never,
  },
  {
    title: 'the status and the title of a session',
    wire: ['session/status', 'session/set_title'],
    names: /session\/(?:status|set_title)|SessionStatus|SessionTitle|SessionCapabilities\.(?:status|title)$/,
    since: published,
    stable: never,
  },
  {
    title: 'the state of the login',
    wire: ['auth/status', 'auth/status_update'],
    names: /auth\/status|Auth(?:State|Account|Status)|AuthCapabilities\.status$/,
    since: published,
    stable: never,
  },
  {
    title: 'model providers',
    wire: ['providers/list', 'providers/set', 'providers/disable'],
    names: /[pP]rovider|LlmProtocol/,
    since: published,
    stable: never,
  },
  {
    title: 'MCP over the connection to the agent',
    wire: ['mcp/message'],
    names: /mcp\/message|Mcp.*(?:Message|Acp|Error|RequestId)|MessageMcp|Mcp(?:Server|Capabilities)\.acp$/,
    since: published,
    stable: never,
  },
  {
    title: 'messages for the running turn, a proposal',
    wire: ['session/inject', 'session/revoke_inject'],
    names: /session\/(?:revoke_)?inject|Inject|\.inject$/,
    since: { 1: null, 2: null },
    stable: never,
  },
  {
    title: 'programs between a client and an agent',
    wire: ['proxy/initialize'],
    names: /proxy\/|Proxy/,
    since: published,
    stable: never,
  },
];

/** The rows of a comparison that no part names, of what is new. */
export function unnamedRows(rows) {
  return rows.filter(({ kind, name }) => kind !== 'removed' && !parts.some(({ names }) => names.test(name)));
}
