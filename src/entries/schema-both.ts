// What both versions of the protocol have, for their entries.

export * from '../core/protocol/both/agent-plan.ts';
export * from '../core/protocol/both/cancellation.ts';
export {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  EmbeddedResourceResource,
  ImageContent,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from '../core/protocol/both/content.ts';
export * from '../core/protocol/both/elicitation.ts';
export * from '../core/protocol/both/initialization.ts';
export * from '../core/protocol/both/session-config-options.ts';
export * from '../core/protocol/both/session-list.ts';
export * from '../core/protocol/both/session-setup.ts';
export * from '../core/protocol/both/session-updates.ts';
export {
  ErrorObject as Error,
  ErrorStopReason,
  IdleStateUpdate,
  RequiresActionStateUpdate,
  RunningStateUpdate,
  StateUpdate,
  UnknownStateUpdate,
} from '../core/protocol/both/state.ts';
export * from '../core/protocol/both/tool-calls.ts';
export * from '../core/protocol/unstable.ts';
export type { Unrecognized } from '../core/protocol/vocabulary.ts';
