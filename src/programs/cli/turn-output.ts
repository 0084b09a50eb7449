import { textOf } from '../../core/conversation/select.ts';
import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { clean } from '../../core/render/clean.ts';
import { renderHtml } from '../../core/render/html.ts';
import { renderMarkdown } from '../../core/render/markdown.ts';
import { renderText } from '../../core/render/text.ts';
import { exportConversation } from '../../records/saved/export.ts';
import { LiveTranscript } from './live.ts';
import type { Format } from './options.ts';
import { type Output, toJson } from './print.ts';

/** The formats of a whole conversation, other than text. */
const renderers: Readonly<Partial<Record<Format, (conversation: Conversation) => string>>> = {
  markdown: renderMarkdown,
  html: renderHtml,
  json: (conversation) => toJson(exportConversation(conversation)),
};

/** Prints a conversation as the result. */
export function printConversation(conversation: Conversation, format: Format, output: Output): Promise<void> {
  const render = renderers[format] ?? ((whole) => renderText(whole, output));
  return output.result(render(conversation));
}

/** Writes what turns add to a conversation, in one format: as it happens, at the end of a turn, or at the end of the last. */
export type TurnOutput = Pick<LiveTranscript, 'follow' | 'finishTurn' | 'finish'>;

/** One record for each event, at once. */
function eventLines(output: Output): TurnOutput {
  let written: Promise<void> = Promise.resolve();
  return {
    follow(session) {
      session.onEvent((event) => {
        written = output.result(toJson(event, 0));
        // The end of the turn throws the error of the last write.
        written.catch(() => {});
      });
    },
    finishTurn: () => written,
    finish: () => written,
  };
}

/** The agent's last words of each turn, without what it did and thought before. */
function answers(output: Output): TurnOutput {
  let last: ConversationEntry | undefined;
  const print = async ({ entries }: Conversation) => {
    const turn = entries.slice(entries.findLastIndex(({ key }) => key === last?.key) + 1);
    last = entries.at(-1);
    const text = clean(answerIn(turn)).trim();
    if (text !== '') await output.result(`${text}\n`);
  };
  return {
    follow: ({ conversation }) => {
      last = conversation.entries.at(-1);
    },
    finishTurn: print,
    finish: print,
  };
}

/** The agent's messages after its last tool call, or else its last message. */
export function answerIn(entries: readonly ConversationEntry[]): string {
  const isSaid = (entry: ConversationEntry) => entry.kind === 'message' && entry.role === 'agent';
  const lastTool = entries.findLastIndex(({ kind }) => kind === 'toolCall');
  const after = entries.slice(lastTool + 1).filter(isSaid);
  const said = after.length > 0 ? after : entries.filter(isSaid).slice(-1);
  return said.map((entry) => (entry.kind === 'message' ? textOf(entry) : '')).join('\n\n');
}

export function turnOutput(format: Format, output: Output): TurnOutput {
  if (format === 'text') return new LiveTranscript(output);
  if (format === 'jsonl') return eventLines(output);
  if (format === 'answer') return answers(output);
  return {
    follow() {},
    async finishTurn() {},
    finish: (conversation) => printConversation(conversation, format, output),
  };
}
