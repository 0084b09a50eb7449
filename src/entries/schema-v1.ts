/**
 * The schemas and wire types of version 1, with the names of the official schema.
 *
 * Level: stable.
 *
 * @see https://agentclientprotocol.com/protocol/v1/schema
 * @packageDocumentation
 */

export { StopReason } from '../core/protocol/both/state.ts';
export * from '../core/protocol/v1/authentication.ts';
export * from '../core/protocol/v1/elicitation.ts';
export * from '../core/protocol/v1/file-system.ts';
export * from '../core/protocol/v1/initialization.ts';
export * from '../core/protocol/v1/prompt-turn.ts';
export * from '../core/protocol/v1/session-config-options.ts';
export * from '../core/protocol/v1/session-modes.ts';
export * from '../core/protocol/v1/session-setup.ts';
export * from '../core/protocol/v1/slash-commands.ts';
export * from '../core/protocol/v1/terminals.ts';
export * from '../core/protocol/v1/tool-calls.ts';
export * from '../core/protocol/v1/unstable.ts';
export { Plan, SessionNotification, SessionUpdate } from '../core/protocol/v1/update.ts';
export * from './schema-both.ts';
