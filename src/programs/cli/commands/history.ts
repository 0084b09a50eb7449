import { withLimits } from '../../../base/wait.ts';
import { cleanLine } from '../../../render/clean.ts';
import { timeText } from '../../../render/facts.ts';
import type { TranscriptInfo } from '../../../transcripts/transcript.ts';
import type { Transcripts } from '../../../transcripts/transcripts.ts';
import { transcriptWords } from '../../../transcripts/words.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import type { ActionName } from '../history-actions.ts';
import { hitOutput } from '../hit-output.ts';
import { folderOf, openToRead } from '../kept-transcripts.ts';
import type { Invocation } from '../options.ts';
import { fitTable, toJson, toJsonLine } from '../print.ts';
import { printConversation } from '../print-conversation.ts';

type Run = (transcripts: Transcripts, invocation: Invocation, context: Context) => Promise<void>;

const runs: Readonly<Record<ActionName, Run>> = { list, search, print, remove, prune };

/** Lists, searches, prints and deletes the transcripts that `--keep` recorded. */
export async function history(invocation: Invocation, context: Context): Promise<void> {
  const transcripts = await openToRead(invocation, context);
  try {
    await runs[invocation.action ?? 'list'](transcripts, invocation, context);
  } finally {
    await transcripts.close();
  }
}

async function list(transcripts: Transcripts, invocation: Invocation, context: Context): Promise<void> {
  const { cwd, format } = invocation;
  const { output } = context;
  const found = await infosOf(transcripts, cwd);
  if (format === 'json') return output.result(toJson(found));
  if (format === 'jsonl') return output.result(found.map(toJsonLine).join(''));
  if (found.length === 0) {
    const where = cwd === undefined ? '' : ` of sessions in ${cwd}`;
    output.note(
      `There are no transcripts${where} in ${folderOf(invocation, context)}. "npx acp-client-sdk chat --keep" records one.`,
    );
  }
  await output.result(fitTable(found.map(row), output.width));
}

async function infosOf(
  transcripts: Transcripts,
  cwd: string | undefined,
): Promise<readonly TranscriptInfo[]> {
  const found: TranscriptInfo[] = [];
  for await (const info of transcripts.list({ cwd })) found.push(info);
  return found;
}

function row({ id, updatedAt, agent, title, cwd, isNewer }: TranscriptInfo): readonly string[] {
  const shownTitle = isNewer ? `${title ?? ''} (needs a newer acp-client-sdk)` : title;
  return [id, timeText(updatedAt), agent?.name, shownTitle, cwd].map((value) => cleanLine(value));
}

/** A search can read for long without a hit. When the transcripts close, it ends. */
function search(transcripts: Transcripts, invocation: Invocation, context: Context): Promise<void> {
  const { signal } = context.interrupts;
  return withLimits(printHits(transcripts, invocation, context), { signal });
}

async function printHits(
  transcripts: Transcripts,
  { argument: words, cwd, format }: Invocation,
  { output, interrupts }: Context,
): Promise<void> {
  if (transcriptWords(words).size === 0) {
    throw usageError(`history search needs a word of letters or digits, and got ${JSON.stringify(words)}.`);
  }
  const hits = hitOutput(format, transcripts, await infosOf(transcripts, cwd), output);
  let isFound = false;
  for await (const hit of transcripts.search(words, { cwd })) {
    interrupts.signal.throwIfAborted();
    isFound = true;
    await hits.add(hit);
  }
  interrupts.signal.throwIfAborted();
  await hits.finish();
  if (!isFound) output.note(`No transcript has ${JSON.stringify(words)}.`);
}

async function print(
  transcripts: Transcripts,
  { argument: id, format }: Invocation,
  { output }: Context,
): Promise<void> {
  await printConversation(await transcripts.read(id), format, output);
}

async function remove(
  transcripts: Transcripts,
  { argument: id }: Invocation,
  { output }: Context,
): Promise<void> {
  const removed = (await infosOf(transcripts, undefined)).find((info) => info.id === id);
  if (!removed) {
    throw usageError(
      `There is no transcript ${JSON.stringify(id)}. "npx acp-client-sdk history" lists those that exist.`,
    );
  }
  await transcripts.remove(id);
  output.note(deleted(removed));
}

async function prune(transcripts: Transcripts, { pruned }: Invocation, { output }: Context): Promise<void> {
  const before = await infosOf(transcripts, undefined);
  const removed = new Set(await transcripts.prune(pruned));
  for (const info of before) if (removed.has(info.id)) output.note(deleted(info));
  const left = before.length - removed.size;
  output.note(`${removed.size} deleted, ${left} left.`);
}

function deleted({ id, title }: TranscriptInfo): string {
  return `Deleted the transcript ${cleanLine(id, title ?? '')}.`;
}
