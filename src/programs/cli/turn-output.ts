import type { Session } from '../../core/client/session/session.ts';
import { textOf } from '../../core/conversation/select.ts';
import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { clean } from '../../core/render/clean.ts';
import { renderHtml } from '../../core/render/html.ts';
import { renderMarkdown } from '../../core/render/markdown.ts';
import { renderText } from '../../core/render/text.ts';
import { exportConversation } from '../../records/saved/export.ts';
import { LiveTranscript } from './live.ts';
import { documentFormats, type Format } from './options.ts';
import { type Output, toJson, toJsonLine } from './print.ts';

/** The formats of a whole conversation. */
type DocumentFormat = (typeof documentFormats)[number];

const renderers = {
  text: (conversation: Conversation, { width, color }: Output) =>
    renderText(conversation, { color, ...(width !== undefined && { width }) }),
  markdown: (conversation: Conversation) => renderMarkdown(conversation),
  html: (conversation: Conversation) => renderHtml(conversation),
  json: (conversation: Conversation) => toJson(exportConversation(conversation)),
} satisfies Record<DocumentFormat, (conversation: Conversation, output: Output) => string>;

/** Prints a conversation as the result. */
export function printConversation(conversation: Conversation, format: Format, output: Output): Promise<void> {
  // The arguments were checked: a command that prints a whole conversation has no other format.
  const known = documentFormats.find((one) => one === format) ?? 'text';
  return output.result(renderers[known](conversation, output));
}

/** Writes what turns add to a conversation, in one format. */
export interface TurnOutput {
  /** The output to pause while the user answers a question. It learns what the question shows. */
  readonly live?: LiveTranscript;
  /** Writes from now on what happens in the session. */
  follow(session: Session): void;
  /** One of several turns has ended. */
  finishTurn(conversation: Conversation): Promise<void>;
  /** The last turn has ended. */
  finish(conversation: Conversation): Promise<void>;
}

/** One record for each event, at once. */
function eventLines(output: Output): TurnOutput {
  let written: Promise<void> = Promise.resolve();
  return {
    follow(session) {
      session.onEvent((event) => {
        written = output.result(toJsonLine(event));
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

function atTheEnd(format: DocumentFormat, output: Output): TurnOutput {
  return {
    follow() {},
    async finishTurn() {},
    finish: (conversation) => printConversation(conversation, format, output),
  };
}

function transcript(output: Output): TurnOutput {
  const live = new LiveTranscript(output);
  return {
    live,
    follow: (session) => live.follow(session),
    finishTurn: (conversation) => live.finishTurn(conversation),
    finish: (conversation) => live.finish(conversation),
  };
}

const outputs: Readonly<Record<Format, (output: Output) => TurnOutput>> = {
  text: transcript,
  jsonl: eventLines,
  answer: answers,
  markdown: (output) => atTheEnd('markdown', output),
  html: (output) => atTheEnd('html', output),
  json: (output) => atTheEnd('json', output),
};

export function turnOutput(format: Format, output: Output): TurnOutput {
  return outputs[format](output);
}
