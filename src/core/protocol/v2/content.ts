import { blocks, sentBlocks } from '../both/content.ts';
import * as v from '../vocabulary.ts';

const customBlock = v.customTag(`${Object.keys(sentBlocks).join(', ')}, or a custom type`);

/** A block that the client sends. Custom types begin with an underscore. */
export const SentContentBlock = v.openVariant('type', sentBlocks, { type: customBlock });

/** A block of a prompt. */
export const PromptBlock = v.openVariant('type', blocks, { type: customBlock });
