import { describe, expect, it } from 'vitest';
import { readInitialize } from '../../../src/protocol/read-initialize.ts';

const info = { name: 'agent', version: '1.0.0', title: 'Agent' };

describe('the answer to initialize', () => {
  it.each(['info', 'agentInfo'])('says in %s who the agent is', (key) => {
    expect(readInitialize({ [key]: info }).agentInfo).toEqual(info);
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
