import { quoted } from '../../../core/base/shell-line.ts';
import { withLimits } from '../../../core/base/wait.ts';
import type { Conversation, ConversationEntry } from '../../../core/model/conversation.ts';
import { clean, cleanLine } from '../../../core/render/clean.ts';
import { timeText } from '../../../core/render/facts.ts';
import { aroundLines } from '../../../core/render/lines.ts';
import { wrapHeading } from '../../../core/render/text.ts';
import type { TranscriptHit, TranscriptInfo } from '../../../records/transcripts/transcript.ts';
import type { Transcripts } from '../../../records/transcripts/transcripts.ts';
import { showWhile } from '../activity.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { folderOf, openToRead } from '../kept-transcripts.ts';
import { renderHeading } from '../live.ts';
import { columnPaint, fitTable, type Output, painted, toJson } from '../print.ts';
import { printConversation } from '../turn-output.ts';

type Action = (transcripts: Transcripts, invocation: Invocation, context: Context) => Promise<void>;

/** A command that works with the transcripts that `--keep` recorded. */
function withTranscripts(doing: string, act: Action) {
  return (invocation: Invocation, context: Context): Promise<void> => {
    const run = async () => {
      const transcripts = await openToRead(invocation, context);
      try {
        await act(transcripts, invocation, context);
      } finally {
        await transcripts.close();
      }
    };
    return showWhile(context, () => doing, run());
  };
}

export const history = withTranscripts(
  'Listing the transcripts',
  async (transcripts, invocation, context) => {
    const { cwd, format, transcriptFolder } = invocation;
    const { output } = context;
    const found = await infosOf(transcripts, cwd);
    if (format === 'json') return output.result(toJson(found));
    if (found.length === 0) {
      const where = cwd === undefined ? '' : ` of sessions in ${cwd}`;
      const how = transcriptFolder === undefined ? '' : ' with the same --directory';
      const none = `There are no transcripts${where} in ${folderOf(invocation, context)}. "npx acp-client-sdk chat --keep"${how} records one.`;
      output.note(none);
    }
    const paint = columnPaint(output, ';1', ';2', '', '', ';2');
    await output.result(fitTable(found.map(row), output.width, paint));
  },
);

async function infosOf(transcripts: Transcripts, cwd?: string): Promise<readonly TranscriptInfo[]> {
  const found: TranscriptInfo[] = [];
  for await (const info of transcripts.list({ cwd })) found.push(info);
  return found;
}

function row({ id, updatedAt, agent, title, cwd, isNewer }: TranscriptInfo): readonly string[] {
  const shownTitle = isNewer ? `${title ?? ''} (needs a newer acp-client-sdk)` : title;
  return [quoted(id), timeText(updatedAt), agent?.name, shownTitle, cwd].map((value) => cleanLine(value));
}

/** A search can read for a long time without a hit. When the transcripts close, it ends. */
export const search = withTranscripts('Searching the transcripts', (transcripts, invocation, context) =>
  withLimits(printHits(transcripts, invocation, context), { signal: context.interrupts.signal }),
);

async function printHits(
  transcripts: Transcripts,
  { argument: words, cwd, format }: Invocation,
  { output, interrupts }: Context,
): Promise<void> {
  if (!/[\p{L}\p{N}\p{M}]/u.test(words)) {
    throw usageError(`history search needs a word of letters or digits, and got ${JSON.stringify(words)}.`);
  }
  const textOf =
    format === 'jsonl'
      ? (hit: TranscriptHit) => toJson(hit, 0)
      : hitTexts(transcripts, await infosOf(transcripts, cwd), output);
  let isFound = false;
  for await (const hit of transcripts.search(words, { cwd })) {
    interrupts.signal.throwIfAborted();
    isFound = true;
    await output.result(await textOf(hit));
  }
  interrupts.signal.throwIfAborted();
  if (!isFound) output.note(`No transcript has ${JSON.stringify(words)}.`);
}

/**
 * Makes the text of each hit: the hits of a transcript stand below its title, each below the heading of its entry.
 *
 * @param infos - The transcripts that are searched.
 */
function hitTexts(
  transcripts: Transcripts,
  infos: readonly TranscriptInfo[],
  output: Output,
): (hit: TranscriptHit) => Promise<string> {
  const infoOf = new Map(infos.map((info) => [info.id, info]));
  let shown: Shown | undefined;
  return async (hit) => {
    let title = '';
    if (shown?.id !== hit.id) {
      const conversation = await transcripts.read(hit.id);
      const entries = new Map(conversation.entries.map((entry) => [entry.key, entry]));
      title = `${shown ? '\n' : ''}${titleText(hit.id, infoOf.get(hit.id), output)}\n`;
      shown = { id: hit.id, conversation, entries };
    }
    return `${title}\n${hitText(hit, shown, output)}`;
  };
}

/** The transcript with the latest hit. */
interface Shown {
  readonly id: string;
  readonly conversation: Conversation;
  readonly entries: ReadonlyMap<string, ConversationEntry>;
}

function titleText(id: string, info: TranscriptInfo | undefined, output: Output): string {
  const { title = null, agent = null, updatedAt, cwd } = info ?? {};
  const facts = [quoted(id), agent?.name, updatedAt && timeText(updatedAt), cwd].map((one) => cleanLine(one));
  const width = output.width ?? Number.POSITIVE_INFINITY;
  const heading = wrapHeading(cleanLine(title ?? 'Untitled'), width);
  const below = wrapHeading(`  ${facts.filter((fact) => fact !== '').join(' · ')}`, width);
  return `${painted(heading, ';1;35', output)}\n${painted(below, ';2', output)}`;
}

/** The heading of the entry, and the text that was found. */
function hitText(hit: TranscriptHit, { conversation, entries }: Shown, output: Output): string {
  const entry = entries.get(hit.entryKey);
  const { color, width = Number.POSITIVE_INFINITY } = output;
  const heading = entry ? renderHeading(conversation, entry, { color, width: width - 2 }) : '';
  return `${heading && `${aroundLines(heading, '  ')}\n`}    ${foundLine(hit, output)}\n`;
}

function foundLine({ text: found, match: { start, end } }: TranscriptHit, output: Output): string {
  const part = (from: number, to?: number) => clean(found.slice(from, to)).replace(/\s+/g, ' ');
  return part(0, start).trimStart() + painted(part(start, end), ';1;31', output) + part(end).trimEnd();
}

export const print = withTranscripts(
  'Reading the transcript',
  async (transcripts, { argument: id, format }, { output }) =>
    printConversation(await transcripts.read(id), format, output),
);

export const remove = withTranscripts(
  'Deleting the transcript',
  async (transcripts, { argument: id }, { output }) => {
    const removed = (await infosOf(transcripts)).find((info) => info.id === id);
    if (!removed) {
      const message = `There is no transcript ${JSON.stringify(id)}. "npx acp-client-sdk history" lists those that exist.`;
      throw usageError(message);
    }
    await transcripts.remove(id);
    output.note(`Deleted the transcript: ${cleanLine(id, removed.title ?? '')}`);
  },
);
