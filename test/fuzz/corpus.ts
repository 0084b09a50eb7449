import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../src/core/base/json.ts';
import { readRecords } from '../../src/records/recording/playback.ts';
import { messagesOf, sessionIdOf } from '../../src/records/recording/recorded-message.ts';

const folder = resolve(import.meta.dirname, '../fixtures/traffic');

/** What one agent said to a client. */
export interface Recording {
  readonly name: string;
  /** What it answered `initialize` with. */
  readonly initializeResult: JsonObject;
  readonly sessionIds: readonly string[];
  /** All that it sent, a message a line, without the line feed. */
  readonly lines: readonly string[];
}

/** The recorded traffic. */
export const recordings: readonly Recording[] = readdirSync(folder)
  .filter((name) => name.endsWith('.ndjson'))
  .map((name) => {
    const messages = readRecords(readFileSync(join(folder, name), 'utf8'))
      .flatMap(messagesOf)
      .flatMap(({ dir, message }) => (dir === 'in' ? [message] : []));
    const answer = messages.find(({ result }) => isJsonObject(result) && 'protocolVersion' in result);
    const sessionIds = messages.flatMap((message) => sessionIdOf(message) ?? []);
    return {
      name,
      initializeResult: answer?.['result'] as JsonObject,
      sessionIds: [...new Set(sessionIds)],
      lines: messages.map((message) => JSON.stringify(message)),
    };
  });
