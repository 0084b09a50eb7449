/**
 * Turns as messages and streams of the AI SDK, for chat interfaces that read these.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export { toUIMessageStream } from '../ui/ai-sdk/answer-stream.ts';
export { answeredApprovals, chatTransport } from '../ui/ai-sdk/chat-transport.ts';
export type { AcpPermission, AcpUIMessage } from '../ui/ai-sdk/message-type.ts';
export { toUIMessages } from '../ui/ai-sdk/messages.ts';
export type { AcpChunk } from '../ui/ai-sdk/part-chunks.ts';
export { askInChat } from '../ui/bridges/ask-in-chat.ts';
export type { ChatSession } from '../ui/bridges/chat-source.ts';
