import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { clean, cleanLine } from '../../core/render/clean.ts';
import { timeText } from '../../core/render/facts.ts';
import { aroundLines } from '../../core/render/lines.ts';
import { wrapHeading } from '../../core/render/text.ts';
import type { TranscriptHit, TranscriptInfo } from '../../records/transcripts/transcript.ts';
import type { Transcripts } from '../../records/transcripts/transcripts.ts';
import { renderHeading } from './live.ts';
import { type Output, painted } from './print.ts';

/**
 * Makes the text of each hit: the hits of a transcript stand below its title, each below the heading of its entry.
 *
 * @param infos - The transcripts that are searched.
 */
export function hitTexts(
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
  const facts = [id, agent?.name, updatedAt && timeText(updatedAt), cwd].map((fact) => cleanLine(fact));
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
  const [before = '', match = '', after = ''] = [
    found.slice(0, start),
    found.slice(start, end),
    found.slice(end),
  ].map((part) => clean(part).replace(/\s+/g, ' '));
  return before.trimStart() + painted(match, ';1;31', output) + after.trimEnd();
}
