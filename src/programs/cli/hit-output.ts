import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { clean, cleanLine } from '../../core/render/clean.ts';
import { timeText } from '../../core/render/facts.ts';
import { aroundLines, wrapLines } from '../../core/render/lines.ts';
import { renderEntryText, wrapHeading } from '../../core/render/text.ts';
import type { TranscriptHit, TranscriptInfo } from '../../records/transcripts/transcript.ts';
import type { Transcripts } from '../../records/transcripts/transcripts.ts';
import type { Format } from './formats.ts';
import { type Output, painted, toJsonLine } from './print.ts';

/** Writes what a search finds, in one format. */
export interface HitOutput {
  add(hit: TranscriptHit): Promise<void>;
}

/** @param infos - The transcripts that are searched. */
export function hitOutput(
  format: Format,
  transcripts: Transcripts,
  infos: readonly TranscriptInfo[],
  output: Output,
): HitOutput {
  if (format === 'jsonl') return lines(output);
  return text(transcripts, infos, output);
}

function lines(output: Output): HitOutput {
  return { add: (hit) => output.result(toJsonLine(hit)) };
}

/** The hits of each transcript below its title, with the entry and with the lines around. */
function text(transcripts: Transcripts, infos: readonly TranscriptInfo[], output: Output): HitOutput {
  const infoOf = new Map(infos.map((info) => [info.id, info]));
  let shown: Shown | undefined;
  return {
    async add(hit) {
      let title = '';
      if (shown?.id !== hit.id) {
        const conversation = await transcripts.read(hit.id);
        const entries = new Map(conversation.entries.map((entry) => [entry.key, entry]));
        title = `${shown ? '\n' : ''}${titleText(hit.id, infoOf.get(hit.id), output)}\n`;
        shown = { id: hit.id, conversation, entries };
      }
      await output.result(`${title}\n${hitText(hit, shown, output)}`);
    },
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
  const facts = [id, agent?.name, updatedAt && timeText(updatedAt), cwd].map((fact) => cleanLine(fact));
  const width = output.width ?? Number.POSITIVE_INFINITY;
  const heading = wrapHeading(cleanLine(title ?? 'Untitled'), width);
  const below = wrapHeading(`  ${facts.filter((fact) => fact !== '').join(' · ')}`, width);
  return `${painted(heading, ';1;35', output)}\n${painted(below, ';2', output)}`;
}

/** How wide a line around a hit is, at most. */
const maxContextColumns = 160;

function hitText(hit: TranscriptHit, { conversation, entries }: Shown, output: Output): string {
  const entry = entries.get(hit.entryKey);
  const [title = '', ...body] = entry
    ? renderEntryText(conversation, entry, { width: Number.POSITIVE_INFINITY }).split('\n')
    : [];
  const found = clean(hit.text).replace(/^…|…$/g, '').trim();
  // The title of a tool call is found in the title of its entry.
  const inTitle = title.indexOf(found);
  if (inTitle >= 0) {
    const [before, after] = [title.slice(0, inTitle), title.slice(inTitle + found.length)];
    return `  ${painted(before, ';1', output)}${foundLine(hit, ';1', output)}${painted(after, ';1', output)}\n`;
  }
  const place = body.findIndex((line) => line.includes(found));
  const around = (index: number) => {
    const line = body[index];
    return place < 0 || !line?.trim() ? '' : `  ${painted(shortened(line), ';2', output)}\n`;
  };
  const heading = wrapHeading(title, (output.width ?? Number.POSITIVE_INFINITY) - 2);
  return (
    (title && `${aroundLines(painted(heading, ';1', output), '  ')}\n`) +
    around(place - 1) +
    `  ${marginOf(hit, body[place], found)}${foundLine(hit, '', output)}\n` +
    around(place + 1)
  );
}

/** What stands before the text in its line: the indentation, and the mark of a line that was added or removed. */
function marginOf({ text: shown }: TranscriptHit, line: string | undefined, found: string): string {
  // The entry shows the text in another form.
  if (line === undefined) return '  ';
  return shown.startsWith('…') ? (/^ */.exec(line)?.[0] ?? '') : line.slice(0, line.indexOf(found));
}

/** @param sgr - How the text around the match is painted. */
function foundLine(
  { text: found, match: { start, end } }: TranscriptHit,
  sgr: string,
  output: Output,
): string {
  const [before = '', match = '', after = ''] = [
    found.slice(0, start),
    found.slice(start, end),
    found.slice(end),
  ].map((part) => clean(part).replace(/\s+/g, ' '));
  return (
    painted(before.trimStart(), sgr, output) +
    painted(match, ';1;31', output) +
    painted(after.trimEnd(), sgr, output)
  );
}

function shortened(line: string): string {
  const [start = '', rest] = wrapLines(line.slice(0, 4 * maxContextColumns), maxContextColumns).split('\n');
  return rest === undefined ? start : `${start} …`;
}
