import { readdirSync, readFileSync } from 'node:fs';
import { connect } from '../../src/agents/connect.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { PromptTurn } from '../../src/core/client/session/turn.ts';
import type { ContentBlock } from '../../src/core/model/content.ts';
import { readRecords } from '../../src/records/recording/playback.ts';
import {
  messagesOf,
  paramsOf,
  type RecordedMessage,
  sessionIdOf,
} from '../../src/records/recording/recorded-message.ts';
import { noAnswer, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { agentRecordings } from './agent-recordings.ts';
import { settle } from './agents.ts';

const traffic = new URL('../fixtures/traffic/', import.meta.url);

/** All recordings of real agents, by a name of each: of the agents suite, and of the fixtures. */
export const recordings: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...agentRecordings].map(([name, steps]) => [name, steps.map(({ text }) => text)] as const),
  ...readdirSync(traffic)
    .filter((file) => file.endsWith('.ndjson'))
    .map((file) => [file, [readFileSync(new URL(file, traffic), 'utf8')]] as const),
]);

type Take = (session: Session, turn: PromptTurn) => void;

/** Prompts as it was recorded, and calls `take` with each turn. The agent sends what it sent in that turn. */
export async function playTurns(recording: string, take: Take): Promise<void> {
  const messages = readRecords(recording).flatMap(messagesOf);
  const starts = messages.flatMap((message, index) => (isCall(message, 'initialize') ? [index] : []));
  for (const [index, start] of starts.entries())
    await playRun(messages.slice(start, starts[index + 1]), take);
}

function isCall({ dir, message }: RecordedMessage, method: string): boolean {
  return dir === 'out' && message['method'] === method;
}

async function playRun(messages: readonly RecordedMessage[], take: Take): Promise<void> {
  const prompts = messages.flatMap((message, index) => (isCall(message, 'session/prompt') ? [index] : []));
  const initialized = messages.find(({ dir, message }) => dir === 'in' && message['result'] !== undefined);
  const sessions = new Map<string, Session>();
  let sessionId = '';
  let turn: readonly RecordedMessage[] = [];
  const agent = scriptedAgent()
    .on('initialize', Object(initialized?.message['result']))
    .on('session/new', () => ({ sessionId }))
    .on('session/prompt', (_, { channel }, id) => {
      const [prompt, ...others] = turn;
      for (const { dir, message } of others) {
        const isAnswer = message['method'] === undefined;
        if (dir === 'in' && !isAnswer) channel.send(message);
        if (dir === 'in' && isAnswer && message['id'] === prompt?.message['id'])
          channel.send({ ...message, id });
      }
      return noAnswer;
    });
  if (!initialized || prompts.length === 0) return;
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'test', version: '0' },
    onDiagnostic() {},
  });
  for (const [index, start] of prompts.entries()) {
    turn = messages.slice(start, prompts[index + 1]);
    const { message }: { message: JsonObject } = turn[0] ?? { message: {} };
    sessionId = sessionIdOf(message) ?? '';
    const session = sessions.get(sessionId) ?? (await connection.newSession({ cwd: '/' }));
    sessions.set(sessionId, session);
    // The recorded client sent blocks.
    const prompt = paramsOf(message)['prompt'] as unknown as readonly ContentBlock[];
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    const played = session.prompt(prompt, { allowUnsupported: true });
    take(session, played);
    played.then(over, over);
    await agent.called('session/prompt', index + 1);
    await settle();
    if (isOver) continue;
    // The recorded agent did not end the turn, or the client went on before its end.
    agent.channel.end();
    break;
  }
  await connection.close();
}
