import { readdirSync, readFileSync } from 'node:fs';
import type { ClientConnection } from '../../src/client/connection.ts';
import type { Session } from '../../src/client/session/session.ts';
import type { PromptTurn } from '../../src/client/session/turn.ts';
import { playTraffic } from '../../src/recording/play-traffic.ts';
import { readRecords } from '../../src/recording/playback.ts';
import { stepsOf, withoutToolTraffic } from '../../src/recording/recorded-agent.ts';
import { agentRecordings } from './agent-recordings.ts';

const traffic = new URL('../fixtures/traffic/', import.meta.url);

/** All recordings of real agents, by a name of each: of the agents suite, and of the fixtures. */
export const recordings: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...agentRecordings].map(([name, steps]) => [name, steps.map(({ text }) => text)] as const),
  ...readdirSync(traffic)
    .filter((file) => file.endsWith('.ndjson'))
    .map((file) => [file, [readFileSync(new URL(file, traffic), 'utf8')]] as const),
]);

/** Plays a recording, and calls `take` with each turn when its prompt is sent. */
export async function playTurns(
  recording: string,
  take: (session: Session, turn: PromptTurn) => void,
): Promise<void> {
  let connection: ClientConnection | undefined;
  const seen = new WeakSet<Session>();
  /** The player makes the calls: its prompts are found at the sessions. */
  const follow = () => {
    for (const session of connection?.sessions ?? []) {
      if (seen.has(session)) continue;
      seen.add(session);
      const prompt = session.prompt.bind(session);
      session.prompt = (...parameters) => {
        const turn = prompt(...parameters);
        take(session, turn);
        return turn;
      };
    }
  };
  await playTraffic(withoutToolTraffic(readRecords(recording).flatMap(stepsOf)), {
    report: () => {},
    observer: {
      begin: follow,
      handled: follow,
      initialized: (opened) => {
        connection = opened;
      },
      ended: () => {},
      closed: () => {},
    },
  });
}
