import type { ContentBlock } from '../../../core/model/content.ts';

/** The text of a message that an input can show. `undefined` if the message has something else than text. */
export function onlyText(content: readonly ContentBlock[]): string | undefined {
  const texts = content.flatMap((block) => (block.type === 'text' && 'text' in block ? [block.text] : []));
  return texts.length > 0 && texts.length === content.length ? texts.join('\n') : undefined;
}
