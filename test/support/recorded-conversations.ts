import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation } from '../../src/model/conversation.ts';
import { foldTraffic } from '../../src/recording/fold-traffic.ts';
import { agentRecordings } from './agent-recordings.ts';

const traffic = join(import.meta.dirname, '../fixtures/traffic');

/** The conversations of a recording. */
export interface RecordedConversations {
  readonly recording: string;
  readonly conversations: readonly Conversation[];
}

/** The conversations of all recordings of real agents, each with the name of its recording. */
export async function recordedConversations(): Promise<readonly RecordedConversations[]> {
  const recordings = [
    ...readdirSync(traffic)
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => ({ recording: name, text: readFileSync(join(traffic, name), 'utf8') })),
    ...[...agentRecordings].flatMap(([name, steps]) =>
      steps.map(({ step, text }) => ({ recording: `${name}: ${step}`, text })),
    ),
  ];
  return Promise.all(
    recordings.map(async ({ recording, text }) => {
      const { sessions } = await foldTraffic(text);
      return { recording, conversations: sessions.map(({ conversation }) => conversation) };
    }),
  );
}
