import highlighter from 'highlight.js/lib/core';
import * as languages from './languages.ts';

/** Registers the languages, each in a task of its own: together they would take longer than a frame. */
export async function registerLanguages(): Promise<void> {
  for (const [name, language] of Object.entries(languages)) {
    highlighter.registerLanguage(name, language);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** The code as HTML that is safe to insert, with a class for each kind of word. `undefined` for an unknown language. */
export function coloredCode(code: string, language: string): string | undefined {
  if (!highlighter.getLanguage(language)) return undefined;
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
