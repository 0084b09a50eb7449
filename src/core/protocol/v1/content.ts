import { blocks, sentBlocks } from '../both/content.ts';
import * as v from '../vocabulary.ts';

/** A block that the client sends. Only known types are allowed. */
export const SentContentBlock = v.variant('type', sentBlocks);

/** A block of a prompt. Skills are only in version 2. The schema accepts one, so that the capability check reports it. */
export const PromptBlock = v.variant('type', blocks);
