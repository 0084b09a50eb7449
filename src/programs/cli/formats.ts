/** The formats of a conversation that is complete. */
export const documentFormats = ['text', 'markdown', 'html', 'json'] as const;

/** The formats of turns. */
export const turnFormats = [...documentFormats, 'jsonl', 'answer'] as const;
export type Format = (typeof turnFormats)[number];
