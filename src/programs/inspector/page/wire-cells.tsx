import { chunkOf, updateIn } from './chunks.ts';
import type { Line } from './lines.ts';
import { durationText, isAnswer, lineText, type Row, secondsText } from './rows.ts';

const arrows = { in: '←', out: '→' } as const;

/** The texts of a line with pieces of a text are joined until they are this long. */
const maxJoined = 200;

/** The columns that every list has, in a font whose characters have the same width: a row needs few elements. */
export const placeText = (number: string, time: string) => `${number.padStart(5)} ${time.padStart(8)} `;

/** The columns that a wide list has. */
export const factsText = (session: string, took: string) => `${session.padEnd(9)} ${took.padStart(7)} `;

interface CellsProps {
  readonly rows: readonly Row[];
  readonly line: Line;
}

/** What a line of the messages shows. */
export function Cells({ rows, line }: CellsProps) {
  const row = rows[line.first];
  if (!row) return null;
  const { index, item, label, sessionId, changes } = row;
  const count = line.last - line.first + 1;
  const shortId = sessionId === null || sessionId.length < 10 ? (sessionId ?? '') : `…${sessionId.slice(-8)}`;
  const took = isAnswer(row) && row.durationMs !== null ? durationText(row.durationMs) : '';
  const words = lineText(wordsOf(rows, line, row));
  return (
    <>
      <span class="dim">{placeText(`${index + 1}`, secondsText(item.t))}</span>
      <span class="dim wide">{factsText(shortId, took)}</span>
      <span class="method">
        {item.type === 'message' ? arrows[item.dir] : '·'} {lineText(label)}
      </span>
      {count > 1 && <span class="dim"> {count}×</span>}
      {words !== '' && <span class="dim"> {words}</span>}
      {changes.length > 0 && <span title="Changed the conversation"> •</span>}
    </>
  );
}

/** What kind of update it is, and the title or the text of what it is about. */
function wordsOf(rows: readonly Row[], line: Line, row: Row): string {
  const { item, kind } = row;
  if (item.type !== 'message') return '';
  // The message is what the other end sent: each step can be absent.
  const message = item.msg as {
    params?: { toolCall?: { title?: unknown } };
    error?: { message?: unknown };
    result?: { stopReason?: unknown };
  } | null;
  const update = updateIn(item.msg);
  return [
    isAnswer(row) ? kind : '',
    update?.['sessionUpdate'],
    chunkOf(row) ? joinedText(rows, line) : (update?.['title'] ?? message?.params?.toolCall?.title),
    message?.error?.message,
    message?.result?.stopReason,
  ]
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' · ');
}

/** The beginning of the text whose pieces a line has. */
function joinedText(rows: readonly Row[], { first, last }: Line): string {
  let text = '';
  for (let index = first; index <= last && text.length < maxJoined; index++) {
    const row = rows[index];
    text += (row && chunkOf(row)?.text) ?? '';
  }
  return text.trimStart();
}
