import { blocks, sentBlocks } from '../both/content.ts';
import { customTag, openVariant } from '../vocabulary.ts';

const customBlock = customTag(`${Object.keys(sentBlocks).join(', ')}, or a custom type`);

/** A block that the client sends. Custom types begin with an underscore. */
export const SentContentBlock = openVariant('type', sentBlocks, { type: customBlock });

/** A block of a prompt. */
export const PromptBlock = openVariant('type', blocks, { type: customBlock });
