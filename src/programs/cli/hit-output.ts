import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { clean, cleanLine } from '../../core/render/clean.ts';
import { timeText } from '../../core/render/facts.ts';
import { aroundLines } from '../../core/render/lines.ts';
import { renderEntryText, wrapHeading } from '../../core/render/text.ts';
import type { TranscriptHit, TranscriptInfo } from '../../records/transcripts/transcript.ts';
import type { Transcripts } from '../../records/transcripts/transcripts.ts';
import type { Format } from './formats.ts';
import { type Output, painted, toJsonLine } from './print.ts';

/**
 * What writes the hits of a search, in one format.
 *
 * @param infos - The transcripts that are searched.
 */
export function hitOutput(
  format: Format,
  transcripts: Transcripts,
  infos: readonly TranscriptInfo[],
  output: Output,
): (hit: TranscriptHit) => Promise<void> {
  return format === 'jsonl'
    ? (hit) => output.result(toJsonLine(hit))
    : hitsAsText(transcripts, infos, output);
}

/** The hits of each transcript below its title, with the heading of the entry. */
function hitsAsText(transcripts: Transcripts, infos: readonly TranscriptInfo[], output: Output) {
  const infoOf = new Map(infos.map((info) => [info.id, info]));
  let shown: Shown | undefined;
  return async (hit: TranscriptHit) => {
    let title = '';
    if (shown?.id !== hit.id) {
      const conversation = await transcripts.read(hit.id);
      const entries = new Map(conversation.entries.map((entry) => [entry.key, entry]));
      title = `${shown ? '\n' : ''}${titleText(hit.id, infoOf.get(hit.id), output)}\n`;
      shown = { id: hit.id, conversation, entries };
    }
    await output.result(`${title}\n${hitText(hit, shown, output)}`);
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

function hitText(hit: TranscriptHit, { conversation, entries }: Shown, output: Output): string {
  const entry = entries.get(hit.entryKey);
  const [title = ''] = entry
    ? renderEntryText(conversation, entry, { width: Number.POSITIVE_INFINITY }).split('\n')
    : [];
  const found = clean(hit.text).replace(/^…|…$/g, '').trim();
  // The title of a tool call is found in the title of its entry.
  const isInTitle = title === '' || title.includes(found);
  const heading = wrapHeading(title, (output.width ?? Number.POSITIVE_INFINITY) - 2);
  const above = isInTitle ? '' : `${aroundLines(painted(heading, ';1', output), '  ')}\n`;
  return `${above}  ${isInTitle ? '' : '  '}${foundLine(hit, output)}\n`;
}

function foundLine({ text: found, match: { start, end } }: TranscriptHit, output: Output): string {
  const [before = '', match = '', after = ''] = [
    found.slice(0, start),
    found.slice(start, end),
    found.slice(end),
  ].map((part) => clean(part).replace(/\s+/g, ' '));
  return before.trimStart() + painted(match, ';1;31', output) + after.trimEnd();
}
