import { readdirSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/core/base/json.ts';
import type { Dialect } from '../../../src/core/protocol/dialect.ts';
import { dialects } from '../../../src/core/protocol/dialects.ts';
import { negotiate } from '../../../src/core/protocol/negotiate.ts';
import { readInitialize } from '../../../src/core/protocol/read-initialize.ts';

const folder = new URL('../../fixtures/traffic/', import.meta.url);

function recorded(file: string, direction: 'in' | 'out'): readonly JsonObject[] {
  return readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter((line) => line.dir === direction)
    .map((line) => line.msg);
}

/** The dialect of the recorded agent, from its answer to `initialize`. */
function dialectOf(messages: readonly JsonObject[]): Dialect {
  for (const { result } of messages) {
    if (!isJsonObject(result) || result['protocolVersion'] === undefined) continue;
    const { dialect } = negotiate(result, [1, 2]);
    if (dialect) return dialects[dialect];
  }
  throw new Error('The recording has no answer to initialize.');
}

const recordings = readdirSync(folder).filter((file) => file.endsWith('.ndjson'));

describe.each(recordings)('%s', (file) => {
  const messages = recorded(file, 'in');
  const dialect = dialectOf(messages);
  const paramsOf = (method: string) =>
    messages
      .filter((message) => message['method'] === method)
      .map((message) => message['params'] as JsonObject);

  it('speaks the version it is named for', () => {
    expect(dialect.name).toBe(file.includes('.v2') ? 'v2-baseline' : 'v1');
  });

  it('has no update that is malformed or unknown', () => {
    const updates = paramsOf('session/update').map(({ update }) => update);
    expect(updates.length).toBeGreaterThan(0);
    const odd = updates
      .map((update) => ({ update, normalized: dialect.normalize(update) }))
      .filter(
        ({ normalized }) => normalized.update === undefined || normalized.update.sessionUpdate === '_unknown',
      );
    expect(odd).toEqual([]);
  });

  it('has no permission request that is malformed', () => {
    for (const params of paramsOf('session/request_permission')) {
      expect(dialect.normalizePermission(params)).toMatchObject({ sessionId: params['sessionId'] });
    }
  });

  it('has no request of a method that we do not know', () => {
    const methods = messages.flatMap(({ method }) => (typeof method === 'string' ? [method] : []));
    const known = (method: string) => method.startsWith('_') || Object.hasOwn(dialect.clientMethods, method);
    expect(methods.filter((method) => !known(method))).toEqual([]);
  });

  it('has no answer that is malformed', () => {
    let answers = 0;
    for (const { id, method } of recorded(file, 'out')) {
      const schema = dialect.agentMethods[String(method)]?.result;
      const answer = messages.find((message) => message['id'] === id && 'result' in message);
      if (!schema || !answer) continue;
      answers += 1;
      expect(v.safeParse(schema, answer['result']).issues).toBeUndefined();
    }
    expect(answers).toBeGreaterThan(0);
  });

  it('has an answer to initialize that is read whole', () => {
    const answer = messages.find(({ result }) => isJsonObject(result) && 'protocolVersion' in result);
    const result = answer?.['result'] as JsonObject;
    const { agentInfo, authMethods } = readInitialize(result);
    expect(agentInfo).toEqual(result['info'] ?? result['agentInfo']);
    expect(authMethods).toHaveLength((result['authMethods'] as readonly unknown[] | undefined)?.length ?? 0);
  });
});
