import { isJsonObject } from '../../../core/base/json.ts';
import { isToolCallFinished } from '../../../core/model/tool-call.ts';
import { paramsOf } from '../../../records/recording/recorded-message.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';
import { lineText, type Row } from './rows.ts';

/** Something that took time: a turn, the loading of a session, a tool call, or a question to the user. */
export interface Action {
  readonly kind: 'turn' | 'load' | 'tool' | 'question';
  /** Index of the first row. */
  readonly first: number;
  /** Index of the last row. `null`: it goes on, or its end is not in the timeline. */
  readonly last: number | null;
  /** The prompt, the method, or the title of the tool call. */
  readonly title: string;
  /** How it ended, such as `end_turn` or `completed`. */
  readonly outcome: string | null;
}

/** The requests that take time, with their direction. */
const kinds: Readonly<Record<string, Action['kind']>> = {
  'out session/prompt': 'turn',
  'out session/load': 'load',
  'out session/resume': 'load',
  'out session/new': 'load',
  'out session/fork': 'load',
  'in session/request_permission': 'question',
  'in elicitation/create': 'question',
};

/** What took time in a timeline, in the order of its beginning. */
export function actionsOf(timeline: LoadedTimeline): readonly Action[] {
  const requests = timeline.rows.flatMap((row) => {
    const { item, label, kind: is } = row;
    const name = item.type === 'message' ? `${item.dir} ${label}` : '';
    const kind = is === 'request' && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    return kind ? [{ kind, first: row.index, title: titleOf(row), ...endOf(row, kind, timeline) }] : [];
  });
  const tools = [...timeline.conversations().keys()].flatMap((number) => toolsIn(number, timeline));
  return [...requests, ...tools].sort((a, b) => a.first - b.first);
}

/** The end of a turn is what ends it in the conversation: an answer, an update, or the end of the agent. */
function endOf(row: Row, kind: Action['kind'], timeline: LoadedTimeline): Pick<Action, 'last' | 'outcome'> {
  const answer = timeline.rows[row.pair ?? -1];
  const { result, error } =
    answer?.item.type === 'message' && isJsonObject(answer.item.msg) ? answer.item.msg : {};
  const failure = isJsonObject(error) ? lineText(String(error['message'])) : undefined;
  const turnEnd = kind === 'turn' ? timeline.idleAfter(row.index) : undefined;
  if (turnEnd) return { last: turnEnd.index, outcome: failure ?? turnEnd.stopReason ?? 'ended' };
  const isOver = answer && (kind !== 'turn' || failure !== undefined);
  return { last: isOver ? answer.index : null, outcome: isOver ? (failure ?? outcomeIn(result)) : null };
}

function toolsIn(number: number, timeline: LoadedTimeline): readonly Action[] {
  const { entries = [] } = timeline.conversationAt(number, timeline.length - 1) ?? {};
  return entries.flatMap((entry): Action[] => {
    if (entry.kind !== 'toolCall') return [];
    const { key, title, name, toolCallId, status } = entry;
    const items = timeline.itemsOf(number, key);
    const last = isToolCallFinished(status) ? (items.at(-1) ?? null) : null;
    const shown = lineText(title ?? name ?? toolCallId);
    return [{ kind: 'tool', first: items[0] ?? 0, last, title: shown, outcome: status }];
  });
}

/** What the request says: the text of a prompt, the tool call or the message of a question, or else the method. */
function titleOf({ item, label }: Row): string {
  const { prompt, toolCall, message, title } =
    item.type === 'message' && isJsonObject(item.msg) ? paramsOf(item.msg) : {};
  const blocks: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  const texts = blocks.map((block) => (isJsonObject(block) ? block['text'] : undefined));
  const call = isJsonObject(toolCall) ? toolCall['title'] : undefined;
  const words = [...texts, call ?? message ?? title].filter((text) => typeof text === 'string');
  return lineText(words.join(' ').trim() || label);
}

/** What the user answered. */
function outcomeIn(result: unknown): string | null {
  if (!isJsonObject(result)) return null;
  const { outcome, action } = result;
  const { optionId, outcome: name } = isJsonObject(outcome) ? outcome : {};
  const said = action ?? optionId ?? name;
  return typeof said === 'string' ? said : null;
}
