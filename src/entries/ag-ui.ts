/**
 * Turns as events, messages and state of AG-UI, for chat interfaces that read these.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export type { AcpActivities } from '../ui/ag-ui/activities.ts';
export { acpAgent } from '../ui/ag-ui/agent.ts';
export { toAgUiEvents } from '../ui/ag-ui/events.ts';
export type { AcpInterruptMetadata } from '../ui/ag-ui/interrupts.ts';
export { toAgUiMessages } from '../ui/ag-ui/messages.ts';
export type { AcpContentPart } from '../ui/ag-ui/parts.ts';
export { agUiResponse } from '../ui/ag-ui/response.ts';
export { type AcpState, toAgUiState } from '../ui/ag-ui/state.ts';
export { askInChat } from '../ui/bridges/ask-in-chat.ts';
export type { ChatSession } from '../ui/bridges/chat-source.ts';
