import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { negotiate, type ProtocolVersion } from '../../../src/protocol/negotiate.ts';

const info = { name: 'agent', version: '1.0.0' };
const v1Body: JsonObject = { agentCapabilities: { loadSession: true }, agentInfo: info };
const v2Body: JsonObject = { info, capabilities: { session: {} } };
const markersBody: JsonObject = { info, capabilities: { session: { load: {}, list: null } } };

const chosen = (result: JsonObject, offered: readonly ProtocolVersion[] = [2, 1]) =>
  negotiate(result, offered).dialect?.name;

describe('version 1', () => {
  it.each([v1Body, {}, v2Body])('is chosen for the number 1 with %j', (body) => {
    expect(negotiate({ ...body, protocolVersion: 1 }, [2, 1])).toEqual({
      dialect: expect.objectContaining({ name: 'v1' }),
    });
  });

  it('is chosen for its fields with an echo of the offered number, with a description', () => {
    expect(negotiate({ ...v1Body, protocolVersion: 2 }, [2, 1])).toMatchObject({
      dialect: { name: 'v1' },
      mismatch: expect.stringContaining('version 2 with the fields of version 1'),
    });
  });

  it('is not chosen unless it was offered', () => {
    expect(chosen({ ...v1Body, protocolVersion: 1 }, [2])).toBeUndefined();
    expect(chosen({ ...v1Body, protocolVersion: 2 }, [2])).toBeUndefined();
    expect(chosen({ ...v1Body, protocolVersion: 2 }, [1])).toBeUndefined();
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
    [v2Body, 'v2-baseline', 'has info'],
    [{ info }, 'v2-baseline', 'has info'],
  ] as const)('has its draft inferred from %j', (body, dialect, evidence) => {
    expect(negotiate({ ...body, protocolVersion: 2 }, [2, 1])).toMatchObject({
      dialect: { name: dialect },
      assumed: { dialect, evidence: expect.stringContaining(evidence) },
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
