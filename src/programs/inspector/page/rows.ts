import { isJsonObject } from '../../../core/base/json.ts';
import type { ConversationChange, TimelineItem } from '../timeline/items.ts';

export type RowKind =
  | Exclude<TimelineItem['type'], 'message'>
  | 'request'
  | 'answer'
  | 'error'
  | 'notification';

/** An item of a timeline as a row of the wire. */
export interface Row {
  readonly index: number;
  readonly item: TimelineItem;
  readonly kind: RowKind;
  /** The method, also of an answer. For what is no message, a short text. */
  readonly label: string;
  readonly sessionId: string | null;
  readonly requestId: string | null;
  /** Index of the request of an answer, or of the answer of a request. */
  pair: number | null;
  /** Milliseconds from the request to its answer. On both. */
  durationMs: number | null;
  /** Indexes of the diagnostics that the message caused. */
  readonly diagnostics: number[];
  /** What the item changed. It grows if the item goes on to change something. */
  readonly changes: ConversationChange[];
}

/** The requests without an answer yet, by their direction and id. */
export type OpenRequests = Map<string, Row>;

/** Makes the row of an item, and completes the row of its request. */
export function addRow(rows: Row[], open: OpenRequests, item: TimelineItem): void {
  const index = rows.length;
  const base = {
    index,
    item,
    sessionId: null,
    requestId: null,
    pair: null,
    durationMs: null,
    diagnostics: [],
    changes: [],
  };
  if (item.type !== 'message') {
    rows.push({ ...base, kind: item.type, label: labelOf(item) });
    if (item.type === 'diagnostic' && item.cause !== undefined) rows[item.cause]?.diagnostics.push(index);
    return;
  }
  const message = isJsonObject(item.msg) ? item.msg : {};
  const { id, method, params } = message;
  const requestId = typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : null;
  const sessionId = sessionIn(params) ?? sessionIn(message['result']);
  if (typeof method === 'string') {
    const kind = requestId === null ? 'notification' : 'request';
    const row: Row = { ...base, kind, label: method, sessionId, requestId };
    if (requestId !== null) open.set(`${item.dir} ${requestId}`, row);
    rows.push(row);
    return;
  }
  const key = `${item.dir === 'in' ? 'out' : 'in'} ${requestId}`;
  const request = open.get(key);
  open.delete(key);
  const durationMs = request ? item.t - request.item.t : null;
  if (request) Object.assign(request, { pair: index, durationMs });
  rows.push({
    ...base,
    kind: 'error' in message ? 'error' : 'answer',
    label: request?.label ?? 'answer without a request',
    sessionId: sessionId ?? request?.sessionId ?? null,
    requestId,
    pair: request?.index ?? null,
    durationMs,
  });
}

function labelOf(item: Exclude<TimelineItem, { type: 'message' }>): string {
  switch (item.type) {
    case 'stderr':
      return item.text.trim();
    case 'process':
      return `process ${item.state}${item.state === 'exited' && item.reason ? `: ${item.reason}` : ''}`;
    case 'connection':
      return `connected, dialect ${item.dialect}`;
    case 'transcript':
      return `a saved transcript, without messages${item.isDamaged ? '. Its end is damaged and not shown' : ''}`;
    case 'diagnostic':
      return `${item.rule}: ${item.message}`;
  }
}

const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** How many characters of a text are shown on a line. No line is wider. */
const maxShown = 200;

/** A text on one line: its first line, and how many follow. */
export function lineText(text: string): string {
  const [first = '', ...others] = text.split(lineBreak);
  const start = first.length > maxShown ? `${first.slice(0, maxShown)}…` : first;
  return others.length === 0 ? start : `${start} +${others.length} ${others.length === 1 ? 'line' : 'lines'}`;
}

/** The session that parameters or a result name. */
export function sessionIn(value: unknown): string | null {
  const sessionId = isJsonObject(value) ? value['sessionId'] : undefined;
  return typeof sessionId === 'string' ? sessionId : null;
}

/** A time of the timeline, such as `12.345`. */
export function secondsText(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** Whether a row is the answer to a request. */
export function isAnswer({ kind }: Row): boolean {
  return kind === 'answer' || kind === 'error';
}

/** How long something took, such as `12 ms` or `3.4 s`. The unit is that of the rounded number. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const texts = new WeakMap<object, string>();

/** What the search reads: the message or the text, in lower case. */
export function searchTextOf({ item, label }: Row): string {
  let text = texts.get(item);
  if (text === undefined) {
    text = `${label} ${JSON.stringify(item.type === 'message' ? item.msg : item)}`.toLowerCase();
    texts.set(item, text);
  }
  return text;
}
