import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { connectPanel } from '../../../src/panel/connect.ts';
import type { PanelEditor, RememberedSession } from '../../../src/panel/options.ts';
import { servePanel } from '../../../src/panel/serve.ts';
import type { PanelState } from '../../../src/panel/state.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { everything, settle, text } from '../../support/agents.ts';
import { outline } from '../../support/open-session.ts';
import { channelPair, cwd, hostOptions, panelPair, until } from '../../support/panel-pair.ts';

const configOptions = [
  {
    id: 'model',
    name: 'Model',
    type: 'select',
    currentValue: 'small',
    options: [
      { value: 'small', name: 'Small' },
      { value: 'large', name: 'Large' },
    ],
  },
];

const lines = ({ conversation }: PanelState) => conversation && outline(conversation);

describe('settings and messages that wait', () => {
  test('a setting is changed, and the state shows it when the promise resolves', async () => {
    const { panel } = await panelPair({
      script: (agent) =>
        agent
          .on('session/new', { sessionId: 's1', configOptions })
          .on('session/set_config_option', ({ value }) => ({
            configOptions: [{ ...configOptions[0], currentValue: String(value) }],
          })),
    });
    await panel.newSession();
    expect(panel.getSnapshot().settings).toMatchObject([{ settingId: 'model', value: 'small' }]);
    await panel.changeSetting('model', 'large');
    expect(panel.getSnapshot().settings).toMatchObject([{ settingId: 'model', value: 'large' }]);
  });

  test('a message of the queue waits for the turn, and can be revoked', async () => {
    const { panel, agent } = await panelPair({
      script: (scripted) => scripted.on('session/prompt', () => noAnswer),
    });
    const turn = panel.prompt('first');
    await agent().called('session/prompt');
    const kept = panel.queue('second');
    const revoked = panel.queue('third');
    const { conversation } = await until(panel, (state) => state.conversation?.pendingMessages?.length === 2);
    await expect(panel.revoke(conversation?.pendingMessages?.[1]?.id ?? '')).resolves.toBe(true);
    await expect(revoked).resolves.toEqual({ stopReason: 'cancelled' });
    const [first] = agent().calls('session/prompt');
    agent().answer(first?.id ?? '', { stopReason: 'end_turn' });
    await turn;
    const second = await agent().called('session/prompt', 2);
    agent().answer(second.id ?? '', { stopReason: 'max_tokens' });
    await expect(kept).resolves.toEqual({ stopReason: 'max_tokens' });
    await expect(panel.revoke('unknown')).resolves.toBe(false);
  });

  test('a steered message reaches the running turn', async () => {
    const { panel, agent } = await panelPair({
      dialect: 'v2-baseline',
      script: (scripted) =>
        scripted
          .on('session/prompt', () => {
            scripted.update('s1', { sessionUpdate: 'state_update', state: 'running' });
            return {};
          })
          .on('session/inject', { messageId: 'm9' }),
    });
    const turn = panel.prompt('first');
    turn.catch(() => {});
    await until(panel, ({ conversation }) => conversation?.activity.state === 'running');
    await expect(panel.steer('faster')).resolves.toEqual({ outcome: 'injected' });
    expect(agent().calls('session/inject')).toHaveLength(1);
  });
});

describe('the draft and refused prompts', () => {
  const refusal = () => {
    throw new RequestError(-32602, 'not like this');
  };

  test('the text of a refused prompt is the draft again', async () => {
    const { panel, served } = await panelPair({ script: (agent) => agent.on('session/prompt', refusal) });
    panel.setDraft('do it');
    const turn = panel.prompt(panel.getSnapshot().draft);
    expect(panel.getSnapshot().draft).toBe('');
    await expect(turn).rejects.toMatchObject({
      name: 'PanelError',
      message: expect.stringContaining('not like this'),
    });
    expect(panel.getSnapshot()).toMatchObject({
      draft: 'do it',
      problem: { message: expect.stringContaining('not like this') },
    });
    expect(served.state.draft).toBe('do it');
    await panel.dismissProblem();
    expect(panel.getSnapshot().problem).toBeNull();
  });

  test('what was written meanwhile stays, and an accepted prompt does not come back', async () => {
    const { panel, agent } = await panelPair({
      script: (scripted) => scripted.on('session/prompt', () => noAnswer),
    });
    const refused = panel.prompt('do it');
    const call = await agent().called('session/prompt');
    panel.setDraft('something else');
    await settle();
    agent().channel.send({ jsonrpc: '2.0', id: call.id ?? 0, error: { code: -32602, message: 'no' } });
    await expect(refused).rejects.toThrow();
    expect(panel.getSnapshot().draft).toBe('something else');
    panel.setDraft('');
    const failed = panel.prompt('work');
    const second = await agent().called('session/prompt', 2);
    agent().update('s1', { sessionUpdate: 'agent_message_chunk', content: text('I begin.') });
    agent().channel.send({
      jsonrpc: '2.0',
      id: second.id ?? 0,
      error: { code: -32603, message: 'model failed' },
    });
    await expect(failed).rejects.toThrow('model failed');
    expect(panel.getSnapshot().draft).toBe('');
  });

  test('a prompt that fails before the agent runs keeps its text', async () => {
    const { panel } = await panelPair({
      options: {
        agent: () => {
          throw new Error('no such command\nsecond line');
        },
      },
    });
    expect(panel.getSnapshot()).toMatchObject({
      phase: 'closed',
      problem: { message: 'no such command', detail: 'second line', remedy: 'restart' },
    });
    await expect(panel.prompt('hello')).rejects.toMatchObject({
      code: 'connection.closed',
      remedy: 'restart',
    });
    expect(panel.getSnapshot()).toMatchObject({ draft: 'hello', problem: { message: 'no such command' } });
  });
});

describe('a crash and a restart', () => {
  test('the end of the agent is explained, and the session continues', async () => {
    const { panel, agent, agents } = await panelPair({
      script: (scripted) => scripted.on('session/prompt', () => noAnswer).on('session/resume', {}),
    });
    const turn = panel.prompt('work');
    await agent().called('session/prompt');
    agent().channel.exit({ exitCode: 3, signal: null, stderrTail: 'panic: no disk' });
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    const down = await until(panel, ({ phase, problem }) => phase === 'reconnecting' && problem !== null);
    expect(down.problem?.message).toMatch(/^.+\. The agent is being started again\. What it was working on/);
    const up = await until(panel, ({ phase }) => phase === 'open');
    expect(agents).toHaveLength(2);
    expect(up.problem?.message).toContain('The agent was started again.');
    agent().on('session/prompt', { stopReason: 'end_turn' });
    await panel.prompt('go on');
    expect(panel.getSnapshot().problem).toBeNull();
    expect(lines(panel.getSnapshot())?.at(-1)).toBe('user: go on');
  });

  test('restart opens the session again, and two restarts at once leave one agent', async () => {
    const { panel, agents, served } = await panelPair({
      script: (agent) =>
        agent.on('session/prompt', { stopReason: 'end_turn' }).on('session/load', ({ sessionId }) => {
          agent.update(String(sessionId), { sessionUpdate: 'user_message_chunk', content: text('old') });
          return {};
        }),
    });
    await panel.prompt('old');
    const first = panel.restart();
    await served.restart();
    await first;
    const state = await until(panel, ({ phase, loading }) => phase === 'open' && loading === null);
    expect(state.sessionId).toBe('s1');
    expect(lines(state)).toEqual(['user: old']);
    const open = agents.filter((agent) => agent.calls('session/load').length > 0);
    expect(open).toHaveLength(1);
    await panel.prompt('new');
  });

  test('the remembered session is opened at the start, and forgotten when the agent does not have it', async () => {
    const load = (agent: ScriptedAgent) =>
      agent.on('session/load', ({ sessionId }) => {
        if (sessionId !== 'kept') throw new RequestError(-32002, 'unknown session');
        agent.update('kept', { sessionUpdate: 'agent_message_chunk', content: text('history') });
        return {};
      });
    const memory = (kept: unknown) => {
      const sets: (RememberedSession | undefined)[] = [];
      // What an editor keeps can be anything.
      return {
        sets,
        get: () => kept as RememberedSession,
        set: (shown: RememberedSession | undefined) => sets.push(shown),
      };
    };
    const kept = memory({ sessionId: 'kept', cwd });
    const good = await panelPair({ script: load, options: { memory: kept } });
    expect(lines(good.panel.getSnapshot())).toEqual(['agent: history']);
    const gone = memory({ sessionId: 'gone', cwd });
    const bad = await panelPair({ script: load, options: { memory: gone } });
    expect(bad.panel.getSnapshot()).toMatchObject({
      sessionId: null,
      phase: 'open',
      problem: { code: 'remote.not_found' },
    });
    expect(gone.sets).toEqual([undefined]);
    for (const damaged of [
      memory({ sessionId: 7 }),
      memory('x'),
      memory({ sessionId: 'kept', cwd: '/elsewhere' }),
    ]) {
      const pair = await panelPair({ script: load, options: { memory: damaged } });
      expect(pair.agent().calls('session/load')).toEqual([]);
      expect(pair.panel.getSnapshot()).toMatchObject({ sessionId: null, problem: null });
    }
  });
});

describe('questions', () => {
  const requestedSchema: JsonObject = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 2, default: 'me' },
      count: { type: 'integer', minimum: 1, maximum: 3 },
      sure: { type: 'boolean' },
      colors: { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }] } },
    },
    required: ['name'],
  };

  test('a form has its fields, and its answer reaches the agent', async () => {
    const { panel, agent } = await panelPair();
    await panel.newSession();
    const answered = agent().request('elicitation/create', {
      sessionId: 's1',
      mode: 'form',
      message: 'Who?',
      requestedSchema,
    });
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    const none = {
      description: null,
      default: null,
      choices: null,
      minimum: null,
      maximum: null,
      format: null,
      title: null,
      required: false,
    };
    expect(questions).toEqual([
      {
        kind: 'form',
        id: expect.any(String),
        sessionId: 's1',
        message: 'Who?',
        fields: [
          { ...none, name: 'name', title: 'Name', type: 'string', required: true, default: 'me', minimum: 2 },
          { ...none, name: 'count', type: 'integer', minimum: 1, maximum: 3 },
          { ...none, name: 'sure', type: 'boolean' },
          { ...none, name: 'colors', type: 'array', choices: [{ value: 'r', title: 'Red' }] },
        ],
      },
    ]);
    const id = questions[0]?.id ?? '';
    await expect(panel.answer(id, { action: 'accept', content: { name: 'x' } })).rejects.toMatchObject({
      code: 'panel.refused',
    });
    expect(panel.getSnapshot().questions).toEqual(questions);
    await panel.answer(id, { action: 'accept', content: { name: 'xy', colors: ['r'] } });
    expect((await answered).result).toEqual({ action: 'accept', content: { name: 'xy', colors: ['r'] } });
    expect(panel.getSnapshot().questions).toEqual([]);
  });

  test('a question goes when the agent withdraws it or the turn is cancelled, and one of another session is counted', async () => {
    const { panel, agent } = await panelPair({
      script: (scripted) => scripted.on('session/prompt', () => noAnswer),
    });
    await panel.newSession();
    const ask = { mode: 'form', message: 'Who?', requestedSchema };
    const withdrawn = agent().request('elicitation/create', { ...ask, sessionId: 's1' });
    await until(panel, ({ questions }) => questions.length === 1);
    agent().notify('$/cancel_request', { requestId: withdrawn.id });
    await until(panel, ({ questions }) => questions.length === 0);
    void agent().request('elicitation/create', { ...ask, sessionId: 's1' });
    await until(panel, ({ questions }) => questions.length === 1);
    await panel.newSession();
    expect(panel.getSnapshot()).toMatchObject({
      sessionId: 's2',
      questions: [],
      waiting: [{ sessionId: 's1', count: 1 }],
    });
    await panel.openSession('s1');
    expect(panel.getSnapshot()).toMatchObject({ questions: [{ kind: 'form' }], waiting: [] });
    await panel.cancel();
    await until(panel, ({ questions }) => questions.length === 0);
  });

  test('an address is answered, and only one of the web is opened', async () => {
    const opened: string[] = [];
    const { panel, agent } = await panelPair({
      options: { editor: { openLink: (url) => opened.push(url) } },
    });
    await panel.newSession();
    const ask = (url: string) =>
      agent().request('elicitation/create', {
        sessionId: 's1',
        mode: 'url',
        message: 'Open it',
        url,
        elicitationId: url,
      });
    const web = ask('https://example.com/login?x=1');
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    expect(questions).toMatchObject([
      { kind: 'url', url: 'https://example.com/login?x=1', host: 'example.com' },
    ]);
    await panel.openLink('https://example.com/login?x=1');
    await panel.answer(questions[0]?.id ?? '', { action: 'accept' });
    expect((await web).result).toEqual({ action: 'accept' });
    void ask('javascript:alert(1)');
    const after = await until(panel, (state) => state.questions.length === 1);
    expect(after.questions).toMatchObject([{ host: '' }]);
    await expect(panel.openLink('javascript:alert(1)')).rejects.toMatchObject({ code: 'panel.refused' });
    expect(opened).toEqual(['https://example.com/login?x=1']);
  });

  test('a login is asked for, and the call is sent again', async () => {
    let isLoggedIn = false;
    const { panel, agent } = await panelPair({
      script: (scripted) =>
        scripted
          .on('session/new', () => {
            if (!isLoggedIn) throw new RequestError(-32000, 'login first');
            return { sessionId: 's1' };
          })
          .on('authenticate', () => {
            isLoggedIn = true;
            return {};
          }),
    });
    const created = panel.newSession();
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    expect(questions).toMatchObject([{ kind: 'login', methods: [{ methodId: 'key', name: 'API key' }] }]);
    await panel.answer(questions[0]?.id ?? '', { methodId: 'key' });
    await created;
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', questions: [], problem: null });
    expect(agent().calls('authenticate')).toHaveLength(1);
  });

  test('a login that is cancelled is a problem, and login without a question settles the question', async () => {
    const { panel } = await panelPair({
      script: (scripted) => {
        let isLoggedIn = false;
        return scripted
          .on('session/new', () => {
            if (!isLoggedIn) throw new RequestError(-32000, 'login first');
            return { sessionId: 's1' };
          })
          .on('authenticate', () => {
            isLoggedIn = true;
            return {};
          });
      },
    });
    const refused = panel.newSession();
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    await panel.answer(questions[0]?.id ?? '', { action: 'cancel' });
    await expect(refused).rejects.toThrow(/login was cancelled/);
    expect(panel.getSnapshot().problem?.message).toMatch(/login was cancelled/);
    const created = panel.newSession();
    await until(panel, (state) => state.questions.length === 1);
    await panel.login('key');
    await created;
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', questions: [] });
  });

  test('a login in a terminal starts the agent again', async () => {
    const methods: string[] = [];
    const { panel, agents } = await panelPair({
      initialize: {
        ...everything.v1,
        authMethods: [{ id: 'tty', name: 'Terminal', type: 'terminal', args: ['login'] }],
      },
      options: { editor: { loginInTerminal: async ({ methodId }) => void methods.push(methodId) } },
    });
    expect(panel.getSnapshot().authMethods).toEqual([
      { methodId: 'tty', name: 'Terminal', description: null, type: 'terminal' },
    ]);
    await panel.login('tty');
    await expect.poll(() => agents.length).toBe(2);
    expect(methods).toEqual(['tty']);
  });
});

describe('places, links and attachments', () => {
  async function withEntries() {
    const opened: unknown[] = [];
    const editor: PanelEditor = {
      openLocation: (location) => opened.push(location),
      openDiff: (diff) => opened.push(diff),
      openLink: (url) => opened.push(url),
      chooseAttachments: async () => [
        { type: 'resource_link', name: 'notes', uri: 'file:///home/user/notes.md' },
      ],
    };
    const pair = await panelPair({
      options: { editor },
      script: (agent) =>
        agent.on('session/prompt', () => {
          agent.update(
            's1',
            {
              sessionUpdate: 'agent_message_chunk',
              messageId: 'm1',
              content: text('See [a](src/a%20b.ts#L12), src/c.ts:7 and https://example.com.'),
            },
            {
              sessionUpdate: 'tool_call',
              toolCallId: 't1',
              title: 'Edit',
              locations: [{ path: `${cwd}/a.ts`, line: 3 }, { path: '/usr/include/stdio.h' }],
              content: [{ type: 'diff', path: `${cwd}/a.ts`, oldText: 'a', newText: 'b' }],
            },
          );
          return { stopReason: 'end_turn' };
        }),
    });
    await pair.panel.prompt('Go.');
    const keys = Object.fromEntries(
      pair.panel.getSnapshot().conversation?.entries.map(({ kind, key }) => [kind, key]) ?? [],
    );
    return { ...pair, opened, message: keys['message'] ?? '', tool: keys['toolCall'] ?? '' };
  }

  test('the editor gets the paths that the conversation names', async () => {
    const { panel, opened, message, tool } = await withEntries();
    expect(panel.getSnapshot().actions).toEqual([
      'openLocation',
      'openDiff',
      'openLink',
      'chooseAttachments',
    ]);
    await panel.openLocation({ kind: 'location', entryKey: tool, index: 0 });
    await panel.openLocation({ kind: 'location', entryKey: tool, index: 1 });
    await panel.openLocation({ kind: 'diff', entryKey: tool, index: 0 });
    await panel.openDiff({ kind: 'diff', entryKey: tool, index: 0 });
    await panel.openLocation({ kind: 'link', entryKey: message, uri: 'src/a%20b.ts#L12' });
    await panel.openLocation({ kind: 'link', entryKey: message, uri: 'src/c.ts:7' });
    await panel.openLink('https://example.com/');
    expect(opened).toEqual([
      { path: `${cwd}/a.ts`, line: 3 },
      { path: '/usr/include/stdio.h', line: null },
      { path: `${cwd}/a.ts`, line: null },
      { path: `${cwd}/a.ts`, oldText: 'a', newText: 'b', patch: null },
      { path: `${cwd}/src/a b.ts`, line: 12 },
      { path: `${cwd}/src/c.ts`, line: 7 },
      'https://example.com/',
    ]);
  });

  test('a prompt can contain files of the workspace, and what the user chose', async () => {
    const { panel, agent } = await withEntries();
    const outside = { type: 'resource_link' as const, name: 'notes', uri: 'file:///home/user/notes.md' };
    await expect(panel.prompt([outside])).rejects.toMatchObject({ code: 'panel.outside' });
    const chosen = await panel.chooseAttachments();
    const inside = { type: 'resource_link' as const, name: 'a', uri: `file://${cwd}/a.ts` };
    await panel.prompt([text('These'), ...chosen, inside]);
    expect(agent().calls('session/prompt')[1]?.params?.['prompt']).toEqual([
      text('These'),
      ...chosen,
      inside,
    ]);
  });

  test('a function of the editor that fails is a problem', async () => {
    const fail = () => Promise.reject(new Error('The editor cannot show this.'));
    const { panel } = await panelPair({ options: { editor: { chooseAttachments: fail } } });
    await expect(panel.chooseAttachments()).rejects.toThrow('The editor cannot show this.');
    expect(panel.getSnapshot().problem?.message).toBe('The editor cannot show this.');
  });
});

describe('the host', () => {
  test.each([
    [{ agent: 'x' }, /agent must be a function/],
    [{ workspace: { cwd } }, /workspace must be a function/],
    [{ sessions: 'some' }, /workspace, all/],
    [{ limits: { pages: 0 } }, /limits.pages/],
    [{ command: 'sh' }, /not an option/],
  ])('refuses wrong options: %j', (wrong, message) => {
    // In JavaScript an option can be anything.
    expect(() => servePanel({ ...hostOptions({}).options, ...wrong } as never)).toThrow(message);
  });

  test('keeps the parts of the state that are equal', async () => {
    const { panel, agent } = await panelPair({
      script: (scripted) =>
        scripted.on('session/list', {
          sessions: [
            { sessionId: 'a', cwd },
            { sessionId: 'b', cwd },
          ],
        }),
    });
    await panel.newSession();
    const before = panel.getSnapshot();
    agent().update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Hi') });
    const after = await until(panel, ({ conversation }) => conversation?.entries.length === 1);
    const { conversation: _, ...rest } = after;
    for (const [key, value] of Object.entries(rest)) expect(value, key).toBe(Reflect.get(before, key));
    agent().on('session/list', {
      sessions: [
        { sessionId: 'new', cwd },
        { sessionId: 'a', cwd },
        { sessionId: 'b', cwd },
      ],
    });
    await panel.refreshSessions();
    expect(panel.getSnapshot().sessions.slice(-2)).toEqual(before.sessions.slice(-2));
    for (const index of [-1, -2])
      expect(panel.getSnapshot().sessions.at(index)).toBe(before.sessions.at(index));
  });

  test('sends at most one message in a frame', async () => {
    const { panel, agent, channel } = await panelPair();
    await panel.newSession();
    const before = channel.fromHost.length;
    const start = performance.now();
    for (let count = 0; count < 500; count++) {
      agent().update('s1', { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('x') });
      if (count % 50 === 0) await settle();
    }
    await until(panel, (state) => lines(state)?.[0]?.length === 'agent: '.length + 500);
    const frames = (performance.now() - start) / 16;
    expect(channel.fromHost.length - before).toBeLessThanOrEqual(Math.ceil(frames) + 1);
  });

  test('closes completely', async () => {
    const { options, agents } = hostOptions({
      script: (agent) => agent.on('session/prompt', () => noAnswer),
    });
    const channel = channelPair();
    const served = servePanel(options, channel.host);
    const panel = connectPanel(channel.page);
    onTestFinished(() => panel.close());
    const turn = panel.prompt('work');
    turn.catch(() => {});
    const [agent] = agents.length > 0 ? agents : await served.started.then(() => agents);
    await agent?.called('session/prompt');
    const asked = agent?.request('elicitation/create', {
      sessionId: 's1',
      mode: 'form',
      message: '?',
      requestedSchema: {},
    });
    await until(panel, ({ questions }) => questions.length === 1);
    const { session } = served;
    await served.close();
    expect((await asked)?.result).toEqual({ action: 'cancel' });
    expect(session?.isClosed).toBe(true);
    expect(served.state).toMatchObject({ phase: 'closed', questions: [] });
    expect(channel.listeners()).toBe(1);
    const { length } = channel.fromHost;
    await settle();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(channel.fromHost).toHaveLength(length);
    panel.close();
    expect(channel.listeners()).toBe(0);
  });

  test('ends an agent that is being started when it is closed', async () => {
    let closed = 0;
    const { options, agents } = hostOptions({});
    const served = servePanel({
      ...options,
      agent: async () => {
        const transport = await options.agent();
        const close = transport.close?.bind(transport);
        agents[0]?.on('initialize', () => noAnswer);
        return Object.assign(transport, {
          close: async () => {
            closed++;
            await close?.();
          },
        });
      },
    });
    await settle();
    await served.close();
    await served.started;
    expect(closed).toBeGreaterThan(0);
    expect(served.connection).toBeUndefined();
    expect(served.state.phase).toBe('closed');
  });

  test('uses the handlers of the editor where it has some', async () => {
    const asked: unknown[] = [];
    const { panel, agent } = await panelPair({
      options: {
        connect: () => ({
          clientInfo: { name: 'test', version: '0' },
          onDiagnostic: () => {},
          handlers: {
            requestPermission: ({ options }) => {
              asked.push(options);
              return { outcome: 'cancelled' };
            },
          },
        }),
      },
    });
    await panel.newSession();
    await agent().request('session/request_permission', {
      sessionId: 's1',
      toolCall: { toolCallId: 't1', title: 'x' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    });
    expect(asked).toHaveLength(1);
    expect(panel.getSnapshot().questions).toEqual([]);
  });
});
