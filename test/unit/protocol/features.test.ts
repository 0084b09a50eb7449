import { describe, expect, it } from 'vitest';
import { customFeature, type Feature, featureNames, readFeature } from '../../../src/protocol/feature.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';

const supported = (dialect: typeof v1, result: unknown): readonly Feature[] =>
  featureNames.filter((feature) => readFeature(feature, dialect.features[feature], result).supported);

/** An `initialize` result that holds `value` at a dotted path. */
function resultWith(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

describe('an agent that says nothing', () => {
  it('has what every agent of version 1 has', () => {
    expect(supported(v1, {})).toEqual(['session', 'session.mcp.stdio']);
  });

  it('has nothing in version 2', () => {
    for (const dialect of [v2Baseline, v2Markers]) expect(supported(dialect, {})).toEqual([]);
  });
});

describe('sessions in version 2', () => {
  const result = { capabilities: { session: {} } };

  it('come with what belongs to them', () => {
    expect(supported(v2Baseline, result)).toEqual([
      'session',
      'session.load',
      'session.resume',
      'session.close',
      'session.list',
    ]);
  });

  it('come alone where each has a marker of its own', () => {
    expect(supported(v2Markers, result)).toEqual(['session']);
  });

  it('are needed for all that is below them', () => {
    const logout = { capabilities: { session: null }, authMethods: [{}] };
    expect(supported(v2Baseline, logout)).toEqual(['auth.login', 'auth.logout']);
  });
});

describe('an MCP transport of its own', () => {
  it('is advertised by a key of its own, and not by one that every object has', () => {
    const mcp = { _meta: {} };
    const result = { capabilities: { session: { mcp } } };
    const isSupported = (feature: Parameters<typeof customFeature>[0], from: unknown = result) =>
      readFeature(feature, customFeature(feature), from).supported;
    expect(isSupported('session.mcp.__proto__')).toBe(false);
    expect(isSupported('session.mcp._pipe')).toBe(false);
    expect(isSupported('session.mcp._pipe', { capabilities: { session: { mcp: { _pipe: {} } } } })).toBe(
      true,
    );
  });
});

/** For each way to say "supported": what does, and what looks like it and does not. */
const values = {
  boolean: { yes: [true], no: [false, null, {}, 'true', 1, []] },
  marker: { yes: [{}, { _meta: {} }], no: [null, false, true, [], '{}'] },
  list: { yes: [[{}]], no: [[], {}, null, true] },
  steer: {
    yes: [['steer'], ['queue', 'steer']],
    no: [[], ['queue'], {}, { steer: {} }, null, true, 'steer'],
  },
  always: { yes: [undefined], no: [] },
  never: { yes: [], no: [{}, true] },
  newer: { yes: [true, {}, { _meta: {} }], no: [undefined, null, false, 'true', 1, []] },
};

describe.each([v1, v2Baseline, v2Markers])('in $name', (dialect) => {
  it.each(featureNames)('%s is on for what says so, and for nothing else', (feature) => {
    const rule = dialect.features[feature];
    const read = (value: unknown) => readFeature(feature, rule, resultWith(rule.path, value));
    for (const value of values[rule.kind].yes) expect(read(value).supported).toBe(true);
    for (const value of values[rule.kind].no) {
      expect(read(value)).toMatchObject({ value, supported: false, path: rule.path });
    }
  });
});

describe("an MCP transport of an agent's own", () => {
  const feature = 'session.mcp._vendor.example/pipe';
  const read = (mcp: unknown) =>
    readFeature(feature, customFeature(feature), { capabilities: { session: { mcp } } });

  it.each([{ _meta: { '_vendor.example/pipe': {} } }, { '_vendor.example/pipe': {} }])(
    'is advertised by its name: %o',
    (mcp) => {
      expect(read(mcp)).toMatchObject({ feature, supported: true, value: {} });
    },
  );

  it.each([undefined, {}, { _meta: null }, { _meta: { '_vendor.example/pipe': true } }, { _vendor: {} }])(
    'is not advertised by anything else: %o',
    (mcp) => {
      expect(read(mcp)).toMatchObject({
        supported: false,
        path: 'capabilities.session.mcp._meta._vendor.example/pipe',
      });
    },
  );

  it('is found behind a marker that is none', () => {
    const value = { '_vendor.example/pipe': {}, _meta: { '_vendor.example/pipe': 5 } };
    expect(read(value)).toMatchObject({ supported: true, value: {} });
  });
});
