import type { Conversation } from '../../src/model/conversation.ts';
import { foldTraffic } from '../../src/recording/fold-traffic.ts';
import { recordings } from './recorded-turns.ts';

/** The conversations of a recording. */
export interface RecordedConversations {
  readonly recording: string;
  readonly conversations: readonly Conversation[];
}

/** The conversations of all recordings of real agents, each with the name of its recording. */
export async function recordedConversations(): Promise<readonly RecordedConversations[]> {
  const all = [...recordings].flatMap(([name, texts]) =>
    texts.map(async (text, index) => {
      const { sessions } = await foldTraffic(text);
      const conversations = sessions.map(({ conversation }) => conversation);
      return { recording: `${name}, part ${index + 1}`, conversations };
    }),
  );
  return Promise.all(all);
}
