import { htmlText } from '../save/html.ts';
import { recordingText } from '../save/recording.ts';
import { testText } from '../save/test.ts';
import { pageSource } from './page-source.ts';
import type { PageState } from './page-state.ts';

/** A way to save what the page shows. */
export interface SaveFormat {
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly type: string;
  /** Whether there is nothing to save without messages. */
  readonly needsMessages: boolean;
  readonly text: (state: PageState) => string;
}

export const saveFormats: readonly SaveFormat[] = [
  {
    name: 'Recording',
    description: 'The messages, one a line, for acp-client and the test kit',
    file: 'recording.ndjson',
    type: 'application/x-ndjson',
    needsMessages: true,
    text: ({ timeline }) => recordingText(timeline.items()),
  },
  {
    name: 'HTML page',
    description: 'This page with what it shows, to open without a network',
    file: 'inspector.html',
    type: 'text/html',
    needsMessages: false,
    text: ({ timeline, other }) => {
      const shown = other ? [timeline, other] : [timeline];
      const files = shown.map((each) => ({ format: 1, title: each.title, items: each.items() }) as const);
      return htmlText(pageSource(), files);
    },
  },
  {
    name: 'Test',
    description: 'A test for vitest that plays the session, and compares the transcript',
    file: 'session.test.mjs',
    type: 'text/javascript',
    needsMessages: true,
    text: ({ timeline }) => testText(timeline.items(), { title: timeline.title }),
  },
];
