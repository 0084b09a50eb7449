import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { initializeParams } from '../../../src/protocol/negotiate.ts';
import { initialize as initialize1 } from '../../../src/protocol/v1/initialization.ts';
import { initialize as initialize2 } from '../../../src/protocol/v2/initialization.ts';

const info = { name: 'editor', version: '1.0.0' };
const features = {
  readTextFile: true,
  writeTextFile: false,
  terminals: true,
  terminalLogin: false,
  elicitForm: false,
  elicitUrl: false,
};
const _meta = { 'example.com/trace': 'x' };

/** The client capabilities of the request, where each version has them. */
function capabilitiesOf(version: 1 | 2, params: JsonObject): JsonObject {
  return params[version === 1 ? 'clientCapabilities' : 'capabilities'] as JsonObject;
}

describe.each([1, 2] as const)('initialize of version %i', (version) => {
  const schema = version === 1 ? initialize1.params : initialize2.params;

  it('is valid, with and without extras', () => {
    const extras = { meta: _meta, clientCapabilities: { _meta }, extensions: ['_example.com/status'] };
    for (const params of [
      initializeParams([version], info, features),
      initializeParams([version], { ...info, _meta }, { ...features, terminalLogin: true }, extras),
    ]) {
      expect(v.parse(schema as v.GenericSchema, params)).toEqual(params);
    }
  });

  it('has the _meta of the request, of the client and of its capabilities', () => {
    const extras = { meta: _meta, clientCapabilities: { _meta } };
    const params = initializeParams([version], { ...info, _meta }, features, extras);
    expect(params['_meta']).toEqual(_meta);
    expect(params[version === 1 ? 'clientInfo' : 'info']).toEqual({ ...info, _meta });
    expect(capabilitiesOf(version, params)['_meta']).toMatchObject(_meta);
  });

  it('has no _meta of the request unless it is given', () => {
    expect(initializeParams([version], info, features)).not.toHaveProperty('_meta');
    expect(initializeParams([version], { ...info, _meta: null }, features)).toEqual(
      initializeParams([version], info, features),
    );
  });

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
        initializeParams([version], info, features, { extensions, clientCapabilities: { _meta: own } }),
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

describe('the capabilities of version 1', () => {
  const capabilities = (...extras: readonly Parameters<typeof initializeParams>[3][]) =>
    capabilitiesOf(1, initializeParams([1], info, features, extras[0]));

  it('contain plan operations and the output of terminals in tool calls', () => {
    expect(capabilities()).toMatchObject({ plan: {}, _meta: { terminal_output: true } });
    expect(capabilities()['_meta']).not.toHaveProperty('terminal-auth');
  });

  it('contain the login in a terminal where it is enabled', () => {
    const params = initializeParams([1], info, { ...features, terminalLogin: true });
    expect(capabilitiesOf(1, params)).toMatchObject({
      auth: { terminal: true },
      _meta: { terminal_output: true, 'terminal-auth': true },
    });
  });

  it('can be switched off in _meta', () => {
    const own = { _meta: { terminal_output: false } };
    expect(capabilities({ clientCapabilities: own })).toMatchObject(own);
  });
});

describe('the capabilities of version 2', () => {
  it('have no _meta unless it is given', () => {
    expect(capabilitiesOf(2, initializeParams([2], info, features))).not.toHaveProperty('_meta');
  });
});

it('an offer of both versions has the capabilities of both', () => {
  const params = initializeParams([2, 1], info, features, { meta: _meta, clientCapabilities: { _meta } });
  expect(params).toMatchObject({
    protocolVersion: 2,
    _meta,
    capabilities: { _meta },
    clientCapabilities: { _meta: { ...(_meta as object), terminal_output: true } },
  });
});
