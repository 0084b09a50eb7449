import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { initializeParams, negotiate, type ProtocolVersion } from '../../../src/core/protocol/negotiate.ts';
import { readInitialize } from '../../../src/core/protocol/read-initialize.ts';

const editorInfo = { name: 'editor', version: '1.0.0' };
const features = {
  readTextFile: true,
  writeTextFile: false,
  terminals: true,
  terminalLogin: false,
  elicitForm: false,
  elicitUrl: false,
  promptSuggestions: false,
  cursors: false,
  skills: false,
};

/** The client capabilities of the request, where each version has them. */
function capabilitiesOf(version: 1 | 2, params: JsonObject): JsonObject {
  return params[version === 1 ? 'clientCapabilities' : 'capabilities'] as JsonObject;
}

describe.each([1, 2] as const)('initialize of version %i', (version) => {
  it('advertises extension methods by domain and name', () => {
    const extensions = [
      '_example.com/status',
      '_example.com/files/open',
      '_other.org/ping',
      '_plain',
      'bare/x',
    ];
    const advertised = (own?: JsonObject) =>
      capabilitiesOf(
        version,
        initializeParams([version], editorInfo, features, { extensions, clientCapabilities: { _meta: own } }),
      )['_meta'];
    expect(advertised()).toMatchObject({
      'example.com': { status: true, 'files/open': true },
      'other.org': { ping: true },
      plain: {},
    });
    expect(advertised()).not.toHaveProperty('bare');
    expect(advertised({ 'example.com': { status: false, version: 2 }, 'other.org': null })).toMatchObject({
      'example.com': { status: false, 'files/open': true, version: 2 },
      'other.org': null,
    });
  });
});

it('switches off a capability of version 1 in _meta', () => {
  const clientCapabilities = { _meta: { terminal_output: false } };
  const params = initializeParams([1], editorInfo, features, { clientCapabilities });
  expect(params).toMatchObject({ clientCapabilities });
});

const info = { name: 'agent', version: '1.0.0' };
const v1Body: JsonObject = { agentCapabilities: { loadSession: true }, agentInfo: info };
const v2Body: JsonObject = { info, capabilities: { session: {} } };
const markersBody: JsonObject = { info, capabilities: { session: { load: {}, list: null } } };

const chosen = (result: JsonObject, offered: readonly ProtocolVersion[] = [2, 1]) =>
  negotiate(result, offered).dialect;

describe('version 1', () => {
  it.each([v1Body, {}, v2Body])('is chosen for the number 1 with %j', (body) => {
    expect(negotiate({ ...body, protocolVersion: 1 }, [2, 1])).toEqual({
      dialect: 'v1',
    });
  });

  it('is chosen for its fields with an echo of the offered number, with a description', () => {
    expect(negotiate({ ...v1Body, protocolVersion: 2 }, [2, 1])).toMatchObject({
      dialect: 'v1',
      mismatch: expect.stringContaining('version 2 with the fields of version 1'),
    });
  });
});

describe('version 2', () => {
  it('is chosen for the number 2 with its fields, or with those of both versions', () => {
    expect(chosen({ ...v2Body, protocolVersion: 2 })).toBe('v2-baseline');
    expect(chosen({ ...v1Body, ...v2Body, protocolVersion: 2 })).toBe('v2-baseline');
    expect(chosen({ ...v2Body, protocolVersion: 2 }, [1])).toBeUndefined();
  });

  it.each([
    [markersBody, 'v2-markers', 'load, list'],
    [{ capabilities: { session: {} } }, 'v2-markers', 'no info'],
    [{ info: null, capabilities: { session: {} } }, 'v2-markers', 'no info'],
    [v2Body, 'v2-baseline', undefined],
    [{ info }, 'v2-baseline', undefined],
  ] as const)('is guessed to be the earlier draft, and nothing else: %j', (body, dialect, evidence) => {
    expect(negotiate({ ...body, protocolVersion: 2 }, [2, 1])).toEqual({
      dialect,
      ...(evidence && { evidence: expect.stringContaining(evidence) }),
    });
  });

  it.each(['load', 'resume', 'close', 'list'])('is the earlier draft for the key %s alone', (key) => {
    for (const value of [{}, null]) {
      expect(chosen({ protocolVersion: 2, info, capabilities: { session: { [key]: value } } })).toBe(
        'v2-markers',
      );
    }
  });
});

describe('no dialect', () => {
  it.each([0, 3, -1, 65535, 1.5, '1', null, true, undefined, [1]])(
    'is chosen for the version %j',
    (version) => {
      for (const body of [v1Body, v2Body, markersBody, {}]) {
        const result = { ...body, ...(version !== undefined && { protocolVersion: version }) };
        expect(negotiate(result, [2, 1])).toEqual({ dialect: undefined });
      }
    },
  );
});

const titled = { name: 'agent', version: '1.0.0', title: 'Agent' };

describe('the answer to initialize', () => {
  it.each(['info', 'agentInfo'])('says in %s who the agent is', (key) => {
    expect(readInitialize({ [key]: titled }).agentInfo).toEqual(titled);
  });

  it('may not say who the agent is', () => {
    for (const agentInfo of [null, 5, { name: 'agent' }]) {
      expect(readInitialize({ agentInfo }).agentInfo).toBeUndefined();
    }
  });

  it('has ways to log in, however they are spelled', () => {
    const env = { KEY: 'value' };
    expect(
      readInitialize({
        authMethods: [
          { id: 'a', name: 'A' },
          { methodId: 'b', name: 'B', type: 'agent', description: 'Bee', _meta: { k: 1 } },
          { id: 'c', name: 'C', type: 'terminal', args: ['login'], env },
          { methodId: 'd', name: 'D', type: 'terminal', env: [{ name: 'KEY', value: 'value' }] },
          { methodId: 'e', name: 'E', type: '_sso', url: 'https://example.com' },
        ],
      }).authMethods,
    ).toStrictEqual([
      { methodId: 'a', name: 'A', description: null, type: 'agent' },
      { methodId: 'b', name: 'B', description: 'Bee', type: 'agent', _meta: { k: 1 } },
      { methodId: 'c', name: 'C', description: null, type: 'terminal', args: ['login'], env },
      { methodId: 'd', name: 'D', description: null, type: 'terminal', env },
      { methodId: 'e', name: 'E', description: null, type: '_sso' },
    ]);
  });

  it('has the variables and the link of methods that need environment variables', () => {
    const vars = [
      { name: 'API_KEY' },
      { name: 'HOST', label: 'Host', secret: false, optional: true, _meta: { k: 1 } },
    ];
    const method = { id: 'a', name: 'A', type: 'env_var', link: 'https://example.com/keys' };
    const read = (more: object) =>
      readInitialize({ authMethods: [{ ...method, ...more }] } as never).authMethods;
    const expected = { methodId: 'a', name: 'A', description: null, type: 'env_var', link: method.link };
    expect(read({ vars })).toStrictEqual([{ ...expected, vars }]);
    expect(read({ vars: [5, { name: 'API_KEY', label: null, secret: 'yes' }] })).toStrictEqual([
      { ...expected, vars: [{ name: 'API_KEY' }] },
    ]);
    expect(read({ vars: 'API_KEY', link: 5 })).toStrictEqual([
      { methodId: 'a', name: 'A', description: null, type: 'env_var' },
    ]);
  });

  it('loses the ways to log in that are malformed', () => {
    const malformed = [5, { name: 'A' }, { id: 'a' }, { id: 'a', name: 'A', type: 'terminal', args: 5 }];
    expect(readInitialize({ authMethods: malformed }).authMethods).toEqual([]);
    expect(readInitialize({ authMethods: null }).authMethods).toEqual([]);
    expect(readInitialize({}).authMethods).toEqual([]);
  });
});
