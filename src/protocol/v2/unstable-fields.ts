import type * as v from 'valibot';
import { SystemPromptMode } from '../unstable.ts';
import { meta, some, struct } from '../vocabulary.ts';
import { SentContentBlock } from './content.ts';

/** What is not stable in messages that are. It may change with any release. */

/** @experimental */
export const SystemPrompt = struct({
  mode: SystemPromptMode,
  content: some(SentContentBlock),
  _meta: meta,
});
/** @experimental */
export type SystemPrompt = v.InferOutput<typeof SystemPrompt>;
