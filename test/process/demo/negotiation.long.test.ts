import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { RawClient } from './raw-client.ts';

const info = { name: 'raw-client', version: '1.0.0' };

async function answerTo(params: JsonObject, ...args: readonly string[]): Promise<JsonObject> {
  await using client = await RawClient.start('--state', temporaryFolder(), ...args);
  return await client.response(client.send('initialize', params));
}

/** Which of `names` a client finds advertised for sessions. */
function advertised(result: JsonObject, names: readonly string[]): readonly string[] {
  const { agentCapabilities, capabilities } = result;
  const v1 = isJsonObject(agentCapabilities) ? agentCapabilities['sessionCapabilities'] : undefined;
  const v2 = isJsonObject(capabilities) ? capabilities['session'] : undefined;
  const markers = isJsonObject(v1) ? v1 : v2;
  return names.filter((name) => isJsonObject(markers) && isJsonObject(markers[name]));
}

const sessionMarkers = ['load', 'resume', 'close', 'list', 'delete', 'additionalDirectories'];

describe('the version', () => {
  test.each([
    { args: [], asked: 1, answered: 1 },
    { args: [], asked: 2, answered: 2 },
    { args: [], asked: 99, answered: 2 },
    { args: ['--dialect', 'v1'], asked: 1, answered: 1 },
    { args: ['--dialect', 'v1'], asked: 2, answered: 1 },
    { args: ['--dialect', 'v2-baseline'], asked: 2, answered: 2 },
    { args: ['--dialect', 'v2-markers'], asked: 3, answered: 2 },
  ])('$asked is answered with $answered by $args', async ({ args, asked, answered }) => {
    const { result } = await answerTo({ protocolVersion: asked, info }, ...args);
    expect(result).toMatchObject({ protocolVersion: answered });
  });

  test.each([
    { args: [], asked: 0, supported: [1, 2] },
    { args: ['--dialect', 'v1'], asked: 0, supported: [1] },
    { args: ['--dialect', 'v2-baseline'], asked: 1, supported: [2] },
    { args: ['--dialect', 'v2-markers'], asked: 1, supported: [2] },
  ])('$asked is refused by $args', async ({ args, asked, supported }) => {
    const { error } = await answerTo({ protocolVersion: asked, info }, ...args);
    expect(error).toMatchObject({ code: -32022, data: { requested: asked, supported } });
  });

  test.each([
    {},
    { protocolVersion: '1' },
    { protocolVersion: 1.5 },
    { protocolVersion: -1 },
    { protocolVersion: null },
  ])('is malformed in %j', async (params) => {
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
    const found = advertised(result as JsonObject, sessionMarkers);
    expect(found).toEqual(['resume', 'close', 'list', 'delete', 'additionalDirectories']);
  });

  test('of version 2 name only what is not there for all', async () => {
    const { result } = await answerTo({ protocolVersion: 2, info });
    expect(result).toMatchObject({ info: { name: 'acp-demo-agent' } });
    expect(advertised(result as JsonObject, sessionMarkers)).toEqual(['delete', 'additionalDirectories']);
  });

  test('of version 2 with markers name each method', async () => {
    const { result } = await answerTo({ protocolVersion: 2 }, '--dialect', 'v2-markers');
    expect(advertised(result as JsonObject, sessionMarkers)).toEqual(sessionMarkers);
  });
});

describe('the methods', () => {
  test.each([
    { dialect: 'v1', missing: ['auth/login'] },
    { dialect: 'v2-baseline', missing: ['session/load', 'session/set_mode', 'authenticate'] },
    { dialect: 'v2-markers', missing: ['session/set_mode', 'authenticate'] },
  ])('that $dialect does not have are $missing', async ({ dialect, missing }) => {
    await using client = await RawClient.start('--state', temporaryFolder(), '--dialect', dialect);
    await client.request('initialize', { protocolVersion: 2, info });
    for (const method of missing) {
      expect(await client.refused(method, {})).toMatchObject({ code: -32601 });
    }
  });

  test('exist after initialize', async () => {
    await using client = await RawClient.start('--state', temporaryFolder());
    expect(await client.refused('session/list', {})).toMatchObject({ code: -32601 });
    await client.request('initialize', { protocolVersion: 2, info });
    expect(await client.request('session/list', {})).toHaveProperty('sessions');
  });
});
