export type {
  AcpActivities,
  AcpActivityType,
  TerminalActivity,
  ToolCallActivity,
  ToolCallOutput,
  TurnFailureActivity,
} from '../ui/ag-ui/activities.ts';
export { type AcpAgentOptions, acpAgent } from '../ui/ag-ui/agent.ts';
export { type AgUiRunOptions, toAgUiEvents } from '../ui/ag-ui/events.ts';
export type { AcpInterruptMetadata } from '../ui/ag-ui/interrupts.ts';
export { toAgUiMessages } from '../ui/ag-ui/messages.ts';
export type { AcpContentPart, AcpPlacedParts, PlacedPart } from '../ui/ag-ui/parts.ts';
export { type AgUiResponseOptions, agUiResponse } from '../ui/ag-ui/response.ts';
export { type AcpState, toAgUiState } from '../ui/ag-ui/state.ts';
export { askInChat } from '../ui/bridges/ask-in-chat.ts';
export type { ChatSession } from '../ui/bridges/chat-source.ts';
