export type {
  AcpActivities,
  AcpActivityType,
  CompactionActivity,
  SessionMessageActivity,
  TerminalActivity,
  ToolCallActivity,
  ToolCallOutput,
  TurnFailureActivity,
} from '../bridges/ag-ui/activities.ts';
export { type AcpAgentOptions, acpAgent } from '../bridges/ag-ui/agent.ts';
export { type AgUiRunOptions, toAgUiEvents } from '../bridges/ag-ui/events.ts';
export type { AcpInterruptMetadata } from '../bridges/ag-ui/interrupts.ts';
export { toAgUiMessages } from '../bridges/ag-ui/messages.ts';
export type { AcpContentPart, AcpPlacedParts, PlacedPart } from '../bridges/ag-ui/parts.ts';
export { type AgUiResponseOptions, agUiResponse } from '../bridges/ag-ui/response.ts';
export { type AcpState, toAgUiState } from '../bridges/ag-ui/state.ts';
export { askInChat } from '../bridges/ask-in-chat.ts';
export type { ChatSession } from '../bridges/chat-source.ts';
