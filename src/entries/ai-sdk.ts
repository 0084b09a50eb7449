export { answeredApprovals, chatTransport } from '../bridges/ai-sdk/chat-transport.ts';
export type {
  AcpDataParts,
  AcpMessageMetadata,
  AcpPermission,
  AcpSessionState,
  AcpToolCall,
  AcpUIMessage,
} from '../bridges/ai-sdk/message-type.ts';
export { toUIMessages } from '../bridges/ai-sdk/messages.ts';
export type { AcpChunk } from '../bridges/ai-sdk/part-chunks.ts';
export { toUIMessageStream } from '../bridges/ai-sdk/turn-stream.ts';
export { askInChat } from '../bridges/ask-in-chat.ts';
export type { ChatSession } from '../bridges/chat-source.ts';
