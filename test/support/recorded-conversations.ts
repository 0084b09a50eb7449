import type { Conversation } from '../../src/core/model/conversation.ts';
import { foldTraffic } from '../../src/records/recording/fold-traffic.ts';
import { recordings } from './recorded-turns.ts';
import { runsAll } from './runs.ts';

/** The conversations of the parts of a recording. */
export async function conversationsOf(texts: readonly string[]): Promise<readonly Conversation[]> {
  const folded = await Promise.all(texts.map((text) => foldTraffic(text)));
  return folded.flatMap(({ sessions }) => sessions.map(({ conversation }) => conversation));
}

/**
 * One part of each recording in which an agent speaks, or all parts where a test runs all of its cases. The parts are
 * different steps, so that many kinds are there.
 */
export const someRecordings: typeof recordings = new Map(
  [...recordings].flatMap(([name, texts], index) => {
    if (runsAll) return [[name, texts]];
    const talking = texts.filter((text) => text.includes('"session/update"'));
    return talking.length === 0 ? [] : [[name, talking.slice(index % talking.length).slice(0, 1)]];
  }),
);
