import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { dialects } from '../../../../../src/core/protocol/dialects.ts';
import { RequestError } from '../../../../../src/core/rpc/request-error.ts';
import { CallsByHand } from '../../../../../src/programs/inspector/server/calls.ts';
import { methodTemplates } from '../../../../../src/programs/inspector/server/method-templates.ts';
import { dialectNames } from '../../../../support/agents.ts';
import { eventually } from '../../../../support/eventually.ts';
import { cwd, openInspector } from '../../../../support/inspector-target.ts';

const folder = `${cwd}/../other`.replace('/project/..', '');

/** Requests by hand to a scripted agent, as the server makes them. */
async function opened() {
  const { agent, panel } = await openInspector((agent) =>
    agent
      .on('session/list', {
        sessions: [
          { sessionId: 'listed', cwd: `${cwd}/inside` },
          { sessionId: 'foreign', cwd: '/etc' },
        ],
      })
      .on('_null', null)
      .on('_other', { done: true })
      .on('_fail', () => {
        throw new RequestError(-32_050, 'No.', { why: 'because' });
      })
      .on('session/fork', { sessionId: 's2' }),
  );
  const calls = new CallsByHand(panel, [cwd, folder]);
  const make = (call: object | string, signal = new AbortController().signal) =>
    calls.make(typeof call === 'string' ? call : JSON.stringify(call), signal);
  return { agent, panel, make };
}

const any = (params: object) => ({ method: '_any', params });

/** An object so many levels deep: 1 is `{}`. */
const nested = (levels: number): object => (levels === 1 ? {} : { deep: nested(levels - 1) });

describe('by hand, a page can', () => {
  test.each<[string, object]>([
    ['leave the parameters out', { method: '_any' }],
    ['name the directory', any({ cwd })],
    ['name each of the directories', any({ paths: [`${cwd}/a`, `${folder}/b`] })],
    ['name a file of the directory as a URI', any({ uri: `file://${cwd}/a.txt` })],
    [
      'name what is no place in the file system',
      any({ uri: 'https://example.com/etc', path: 'git+ssh:x', file: 'h2:x' }),
    ],
    ['name a path where no place is meant', any({ text: '/etc/passwd', note: ['/etc'] })],
    ['use null where a place is meant', any({ cwd: null, path: 1 })],
    ['say that there is no program', any({ mcpServers: [], env: {}, command: null })],
    ['use names that contain those of programs', any({ commands: 1, myargs: 2, urls: 3, environment: 4 })],
    ['nest 65 levels', any(nested(65))],
  ])('%s', async (_, call) => {
    const { agent, make } = await opened();
    expect(await make(call)).toEqual({ result: { done: true } });
    expect(agent.calls('_any')).toHaveLength(1);
  });

  test('use a method that the agent does not advertise, if the user says so', async () => {
    const { agent, make } = await opened();
    const call = { method: 'session/fork', params: { sessionId: 'listed', cwd, mcpServers: [] } };
    expect(await make(call)).toMatchObject({ error: { code: 'usage.capability' } });
    expect(agent.calls('session/fork')).toHaveLength(0);
    expect(await make({ ...call, allowUnsupported: true })).toMatchObject({ result: { sessionId: 's2' } });
  });

  test('send a notification, and sees the result null, also of a request', async () => {
    const { agent, make } = await opened();
    const cancel = { method: 'session/cancel', params: { sessionId: 'listed' } };
    expect(await make(cancel)).toEqual({ result: null });
    await eventually(() => agent.calls('session/cancel')).toHaveLength(1);
    expect(await make({ method: '_null' })).toEqual({ result: null });
  });

  test('see the error of the agent with its data', async () => {
    const { make } = await opened();
    expect(await make({ method: '_fail' })).toEqual({
      error: { message: expect.stringContaining('No.'), code: 'remote', data: { why: 'because' } },
    });
  });

  test('use the sessions of the directory, the open ones, and those that it created', async () => {
    const { agent, panel, make } = await opened();
    const sessionOf = (sessionId: string) => make(any({ sessionId }));
    const refused = { error: { message: expect.stringContaining('not one of this inspector') } };
    expect(await sessionOf('listed')).toEqual({ result: { done: true } });
    expect(await sessionOf('foreign')).toEqual(refused);
    expect(await sessionOf('s1')).toEqual(refused);
    await make({ method: 'session/new', params: { cwd, mcpServers: [] } });
    expect(await sessionOf('s1')).toEqual({ result: { done: true } });
    agent.on('session/new', { sessionId: 'open' });
    await panel.connection?.newSession({ cwd });
    expect(await sessionOf('open')).toEqual({ result: { done: true } });
  });
});

describe('[security: inspector] by hand, a page cannot', () => {
  test.each(
    ['additionalDirectories', 'cwd', 'directory', 'file', 'folder', 'path', 'paths', 'roots', 'uri'].concat(
      'workingDirectory',
    ),
  )('lead out of the directories with %s', async (name) => {
    const { agent, make } = await opened();
    const reason = '"/etc" is not in the directory with which the inspector was started.';
    for (const place of ['/etc', ['/etc'], [{ any: ['/etc'] }], [cwd, '/etc', '/usr']]) {
      expect(await make(any({ deep: [{ [name]: place }] }))).toEqual({ error: { message: reason } });
    }
    expect(agent.calls('_any')).toHaveLength(0);
  });

  // A letter and a colon are no scheme of a URL.
  test.each([
    'C:\\Windows',
    'c:/Windows',
    'C:\\Windows\\a:b',
    'etc/a:b',
    `${cwd}/../..`,
    'file:///etc/passwd',
  ])('lead out of the directories to %s', async (path) => {
    const { agent, make } = await opened();
    const prompt = [{ type: 'resource_link', name: 'x', uri: path }];
    for (const params of [{ path }, { prompt }, { roots: [{ uri: path }] }]) {
      const refused = { error: { message: expect.stringContaining('is not in the directory') } };
      expect(await make(any(params))).toEqual(refused);
    }
    expect(agent.calls('_any')).toHaveLength(0);
  });

  test.each(['mcpServers', 'command', 'args', 'env', 'headers', 'url', 'baseURL', 'ARGS'])(
    'choose %s',
    async (name) => {
      const { make } = await opened();
      const message = `A page cannot choose ${name}: give it to the command that started the inspector.`;
      for (const value of ['x', 1, ['x'], { x: null }]) {
        expect(await make(any({ deep: [{ [name]: value }] }))).toEqual({ error: { message } });
      }
    },
  );

  test('nest 66 levels', async () => {
    const { make } = await opened();
    const message = 'The parameters are nested more than 64 times.';
    expect(await make(any(nested(66)))).toEqual({ error: { message } });
  });

  test.each<[string, object | string]>([
    ['no method', {}],
    ['an empty method', { method: '' }],
    ['a method of more than 200 characters', { method: `_${'x'.repeat(200)}` }],
    ['parameters that are a list', { method: '_any', params: [] }],
    ['another answer about gates', { method: '_any', allowUnsupported: false }],
    ['another field', { method: '_any', other: 1 }],
  ])('send %s', async (_, call) => {
    const { agent, make } = await opened();
    const message = 'The body is not a call. It has the fields method, params and allowUnsupported.';
    expect(await make(call)).toEqual({ error: { message } });
    expect(agent.calls('_any')).toHaveLength(0);
  });

  test('see more than the beginning of a long path', async () => {
    const { make } = await opened();
    const outcome = await make(any({ path: `/${'x'.repeat(1000)}` }));
    expect(outcome).toEqual({ error: { message: expect.stringMatching(/^"\/x{199}" is not in/) } });
  });

  test('reach an agent that does not run', async () => {
    const { panel, make } = await opened();
    await panel.close();
    expect(await make({ method: '_any' })).toEqual({
      error: { message: 'The agent is not running. Start it again.' },
    });
  });
});

test.each(dialectNames)('the template of each method of %s has the required parameters', (name) => {
  const { agentMethods } = dialects[name];
  const templates = methodTemplates('/home/user')[name];
  expect(templates.map(({ method }) => method)).toEqual(Object.keys(agentMethods));
  for (const { method, params } of templates) {
    const schema = agentMethods[method]?.params;
    expect(schema && v.is(schema, params), method).toBe(true);
    for (const field of Object.keys(params)) {
      const { [field]: _, ...others } = params;
      expect(schema && v.is(schema, others), `${method} without ${field}`).toBe(false);
    }
  }
});
