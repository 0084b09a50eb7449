import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '../../../src/core/base/json.ts';
import type { ContentBlock } from '../../../src/core/model/content.ts';
import type { TrafficRecord } from '../../../src/core/trace/traffic.ts';
import { readRecords } from '../../../src/records/recording/playback.ts';
import {
  messagesOf,
  paramsOf,
  type RecordedMessage,
} from '../../../src/records/recording/recorded-message.ts';

const folder = fileURLToPath(new URL('../../fixtures/traffic/', import.meta.url));

/** How an agent opens a session again: without its history, or with it. */
export type Reopening = 'resume' | 'load';

/** A recorded session, as a client and an agent play it again. */
export interface Play {
  readonly version: 1 | 2;
  /** The answer to `initialize`. */
  readonly initialized: JsonObject;
  /** The answer to `session/new`. */
  readonly opened: JsonObject;
  /** What the agent sent between that and the first prompt. */
  readonly greeting: readonly JsonObject[];
  readonly turns: readonly RecordedTurn[];
  /** The records themselves. */
  readonly records: readonly TrafficRecord[];
}

export interface RecordedTurn {
  readonly prompt: readonly ContentBlock[];
  /** What both sides sent after the prompt. */
  readonly steps: readonly RecordedMessage[];
}

const recordings = { 1: 'opencode-1.18.33.ndjson', 2: 'codex-2.6.0.v2.ndjson' } as const;

/** The turns that are played: one with text, and one with a tool that needs a permission. */
const playedTurns: readonly number[] = [0, 2];
const turnCount = 3;

/** Reads a recording. Each text of the agent gets a number, so that one that comes twice, or not, is seen. */
export async function recordedPlay(version: 1 | 2, reopening: Reopening): Promise<Play> {
  const all = readRecords(await readFile(`${folder}${recordings[version]}`, 'utf8'));
  const prompts = all.flatMap(({ dir, msg }, index) =>
    dir === 'out' && isJsonObject(msg) && msg['method'] === 'session/prompt' ? [index] : [],
  );
  const isPlayed = (index: number) => {
    const turn = prompts.findLastIndex((start) => start <= index);
    return turn === -1 || playedTurns.includes(turn);
  };
  const played = all.slice(0, prompts[turnCount]).filter((_record, index) => isPlayed(index));
  const records = numbered(played);
  const steps = records.flatMap(messagesOf);
  const resultOf = (method: string) => {
    const request = steps.find(({ dir, message }) => dir === 'out' && message['method'] === method);
    const answer = steps.find(
      ({ dir, message }) =>
        dir === 'in' && message['method'] === undefined && message['id'] === request?.message['id'],
    );
    return resultIn(answer?.message ?? {});
  };
  const starts = steps.flatMap(({ message }, index) =>
    message['method'] === 'session/prompt' ? [index] : [],
  );
  return {
    version,
    initialized: withReopening(resultOf('initialize'), reopening),
    opened: resultOf('session/new'),
    greeting: steps
      .slice(0, starts[0])
      .flatMap(({ dir, message }) => (dir === 'in' && isUpdate(message) ? [message] : [])),
    turns: starts.map((start, index) => {
      const { message } = steps[start] as RecordedMessage;
      const prompt = paramsOf(message)['prompt'];
      // The recorded client sent blocks.
      return {
        prompt: prompt as unknown as readonly ContentBlock[],
        steps: steps.slice(start + 1, starts[index + 1]),
      };
    }),
    records,
  };
}

function resultIn({ result }: JsonObject): JsonObject {
  if (!isJsonObject(result)) throw new Error('The recording has no such answer.');
  return result;
}

export function isUpdate({ method }: JsonObject): boolean {
  return method === 'session/update';
}

/** The kinds of updates whose text is numbered. */
const spoken: ReadonlySet<unknown> = new Set(['agent_message_chunk', 'agent_thought_chunk']);

function numbered(records: readonly TrafficRecord[]): readonly TrafficRecord[] {
  let count = 0;
  return records.map((record) => {
    const { msg } = record;
    const update = isJsonObject(msg) ? paramsOf(msg)['update'] : undefined;
    if (!isJsonObject(msg) || !isJsonObject(update) || !spoken.has(update['sessionUpdate'])) return record;
    const content = isJsonObject(update['content']) ? update['content'] : {};
    const text = `⟨${++count}⟩${String(content['text'])}`;
    const params = { ...paramsOf(msg), update: { ...update, content: { ...content, text } } };
    return { ...record, msg: { ...msg, params } };
  });
}

/** In version 1 an agent advertises what it can. The recorded one can do both, of which the client prefers `resume`. */
function withReopening(initialized: JsonObject, reopening: Reopening): JsonObject {
  const text = JSON.stringify(initialized);
  return JSON.parse(reopening === 'resume' ? text : text.replace(/,?"resume":\{\}/, ''));
}

/** The numbers of the texts in a text, in order. */
export function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/⟨(\d+)⟩/g)].map(([, digits]) => Number(digits));
}
