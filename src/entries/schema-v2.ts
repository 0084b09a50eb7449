/**
 * The schemas and wire types of version 2, with the names of the official schema. Version 2 is in Preview: what the schemas
 * contain follows it in a minor version too.
 *
 * Level: stable.
 *
 * @see https://agentclientprotocol.com/protocol/v2/schema
 * @experimental
 * @packageDocumentation
 */

export { Icon, IconTheme } from '../core/protocol/both/content.ts';
export {
  BackgroundSubagent,
  BackgroundTerminal,
  BackgroundToolCall,
  BackgroundWork,
} from '../core/protocol/both/state.ts';
export * from '../core/protocol/v2/authentication.ts';
export * from '../core/protocol/v2/elicitation.ts';
export * from '../core/protocol/v2/initialization.ts';
export * from '../core/protocol/v2/prompt-lifecycle.ts';
export * from '../core/protocol/v2/session-config-options.ts';
export * from '../core/protocol/v2/session-setup.ts';
export * from '../core/protocol/v2/slash-commands.ts';
export * from '../core/protocol/v2/tool-calls.ts';
export * from '../core/protocol/v2/unstable.ts';
export { SessionUpdate, UpdateSessionNotification } from '../core/protocol/v2/update.ts';
export * from './schema-both.ts';
