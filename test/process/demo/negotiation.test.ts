import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { isJsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { RawClient } from './raw-client.ts';

const info = { name: 'raw-client', version: '1.0.0' };

async function answerTo(params: JsonObject, dialect?: DialectName): Promise<JsonObject> {
  const client = RawClient.inMemory(dialect);
  return client.response(client.send('initialize', params));
}

const sessionMarkers = ['load', 'resume', 'close', 'list', 'delete', 'additionalDirectories'];

/** Which of these a client finds advertised for sessions. */
async function markers(params: JsonObject, dialect?: DialectName): Promise<readonly string[]> {
  const { result } = await answerTo(params, dialect);
  const { agentCapabilities, capabilities } = isJsonObject(result) ? result : {};
  const v1 = isJsonObject(agentCapabilities) ? agentCapabilities['sessionCapabilities'] : undefined;
  const found = v1 ?? (isJsonObject(capabilities) ? capabilities['session'] : undefined);
  return sessionMarkers.filter((name) => isJsonObject(found) && isJsonObject(found[name]));
}

describe('the version', () => {
  test.each<readonly [asked: number, answered: number, dialect: DialectName | undefined]>([
    [1, 1, undefined],
    [2, 2, undefined],
    [99, 2, undefined],
    [1, 1, 'v1'],
    [2, 1, 'v1'],
    [2, 2, 'v2-baseline'],
    [3, 2, 'v2-markers'],
  ])('%i is answered with %i by %s', async (asked, answered, dialect) => {
    const { result } = await answerTo({ protocolVersion: asked, info }, dialect);
    expect(result).toMatchObject({ protocolVersion: answered });
  });

  test.each<readonly [asked: number, supported: readonly number[], dialect: DialectName | undefined]>([
    [0, [1, 2], undefined],
    [0, [1], 'v1'],
    [1, [2], 'v2-baseline'],
    [1, [2], 'v2-markers'],
  ])('%i is refused with %j by %s', async (asked, supported, dialect) => {
    const { error } = await answerTo({ protocolVersion: asked, info }, dialect);
    expect(error).toMatchObject({ code: -32022, data: { requested: asked, supported } });
  });

  test('is malformed if it is no whole number', async () => {
    for (const params of [{}, ...['1', 1.5, -1, null].map((protocolVersion) => ({ protocolVersion }))])
      expect((await answerTo(params))['error']).toMatchObject({ code: -32602 });
  });
});

describe('the capabilities', () => {
  test('of version 1 are booleans and markers', async () => {
    const { result } = await answerTo({ protocolVersion: 1 });
    expect(result).toMatchObject({
      agentInfo: { name: 'acp-demo-agent' },
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true, audio: false } },
    });
    expect(await markers({ protocolVersion: 1 })).toEqual(sessionMarkers.slice(1));
  });

  test('of version 2 name only what is not there for all, and with markers each method', async () => {
    const { result } = await answerTo({ protocolVersion: 2, info });
    expect(result).toMatchObject({ info: { name: 'acp-demo-agent' } });
    expect(await markers({ protocolVersion: 2, info })).toEqual(['delete', 'additionalDirectories']);
    expect(await markers({ protocolVersion: 2 }, 'v2-markers')).toEqual(sessionMarkers);
  });
});

describe('the methods', () => {
  test.each<{ readonly dialect: DialectName; readonly missing: readonly string[] }>([
    { dialect: 'v1', missing: ['auth/login'] },
    { dialect: 'v2-baseline', missing: ['session/load', 'session/set_mode', 'authenticate'] },
    { dialect: 'v2-markers', missing: ['session/set_mode', 'authenticate'] },
  ])('that $dialect does not have are $missing', async ({ dialect, missing }) => {
    const client = RawClient.inMemory(dialect);
    await client.request('initialize', { protocolVersion: 2, info });
    for (const method of missing) {
      expect(await client.refused(method, {})).toMatchObject({ code: -32601 });
    }
  });

  test('exist after initialize', async () => {
    const client = RawClient.inMemory();
    expect(await client.refused('session/list', {})).toMatchObject({ code: -32601 });
    await client.request('initialize', { protocolVersion: 2, info });
    expect(await client.request('session/list', {})).toHaveProperty('sessions');
  });
});
