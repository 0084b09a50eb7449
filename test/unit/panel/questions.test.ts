import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { OpenQuestions } from '../../../src/ui/panel/open-questions.ts';
import { MachineRunner } from '../../../src/ui/panel/runner.ts';
import { everything, refuses } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { askPermission, elicit, panelPair, until } from '../../support/panel-pair.ts';

/** An agent that creates no session before the user has logged in. */
function needsLogin(agent: ScriptedAgent) {
  let isLoggedIn = false;
  agent
    .on('session/new', () => {
      if (!isLoggedIn) throw new RequestError(-32000, 'login first');
      return { sessionId: 's1' };
    })
    .on('authenticate', () => {
      isLoggedIn = true;
      return {};
    });
}

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
    const answered = elicit(agent(), { requestedSchema });
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    const names = ['name', 'count', 'sure', 'colors'].map((name) => ({ name, required: name === 'name' }));
    expect(questions).toMatchObject([{ kind: 'form', sessionId: 's1', message: 'Who?', fields: names }]);
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
    const { panel, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    await panel.newSession();
    const withdrawn = elicit(agent(), { requestedSchema });
    await until(panel, ({ questions }) => questions.length === 1);
    agent().notify('$/cancel_request', { requestId: withdrawn.id });
    await until(panel, ({ questions }) => questions.length === 0);
    void elicit(agent(), { requestedSchema });
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
    const ask = (url: string) => elicit(agent(), { mode: 'url', url, elicitationId: url });
    const web = ask('https://example.com/login?x=1');
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    expect(questions).toMatchObject([
      { kind: 'url', url: 'https://example.com/login?x=1', host: 'example.com' },
    ]);
    const other = panel.openLink('https://example.com/other');
    await expect(other).rejects.toMatchObject({ code: 'panel.refused' });
    await panel.openLink('https://example.com/login?x=1');
    await panel.answer(questions[0]?.id ?? '', { action: 'accept' });
    expect((await web).result).toEqual({ action: 'accept' });
    void ask('javascript:alert(1)');
    const after = await until(panel, (state) => state.questions.length === 1);
    expect(after.questions).toMatchObject([{ host: '' }]);
    await expect(panel.openLink('javascript:alert(1)')).rejects.toMatchObject({ code: 'panel.refused' });
    expect(opened).toEqual(['https://example.com/login?x=1']);
  });

  test.each([
    ['http://localhost:3000/login', 'localhost:3000'],
    ['vscode://settings/login', ''],
    ['not an address', ''],
  ])('the address %j has the host %j, and belongs to its session or to none', async (url, host) => {
    const { panel, agent } = await panelPair();
    await panel.newSession();
    void elicit(agent(), { mode: 'url', url, elicitationId: 'e1' });
    const ofCall = { requestId: 1, mode: 'url', message: 'Open it', url, elicitationId: 'e2' };
    void agent().request('elicitation/create', ofCall);
    const { questions } = await until(panel, (state) => state.questions.length === 2);
    expect(questions).toMatchObject([
      { kind: 'url', sessionId: 's1', host },
      { kind: 'url', sessionId: null, host },
    ]);
  });

  test('a form without a required field can be declined', async () => {
    const { panel, agent } = await panelPair();
    await panel.newSession();
    const optional = { type: 'object', properties: { name: { type: 'string' } } };
    for (const action of ['decline', 'cancel'] as const) {
      const answered = elicit(agent(), { requestedSchema: optional });
      const { questions } = await until(panel, (state) => state.questions.length === 1);
      await panel.answer(questions[0]?.id ?? '', { action });
      expect((await answered).result).toEqual({ action });
    }
  });

  test('a permission without a tool call is asked for, and cancelled without an error in the log', async () => {
    const rules: string[] = [];
    const { panel, agent } = await panelPair({
      dialect: 'v2-baseline',
      options: {
        connect: {
          clientInfo: { name: 'test', version: '0.0.0' },
          onDiagnostic: ({ rule }) => rules.push(rule),
        },
      },
    });
    await panel.newSession();
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const answered = agent().request('session/request_permission', {
      sessionId: 's1',
      title: 'Go on?',
      options,
    });
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    expect(questions).toMatchObject([{ kind: 'permission', title: 'Go on?', toolCallKey: null }]);
    await panel.answer(questions[0]?.id ?? '', { action: 'cancel' });
    expect((await answered).result).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(rules).not.toContain('handler.invalid_answer');
  });

  test('an address that the user has completed elsewhere is a question no more, and the others stay', async () => {
    const { panel, agent } = await panelPair();
    await panel.newSession();
    const ask = (elicitationId: string) =>
      elicit(agent(), { mode: 'url', url: `https://example.com/${elicitationId}`, elicitationId });
    const first = ask('e1');
    void ask('e2');
    await until(panel, ({ questions }) => questions.length === 2);
    agent().notify('elicitation/complete', { elicitationId: 'e1' });
    expect((await first).result).toEqual({ action: 'accept' });
    await until(panel, ({ questions }) => questions.length === 1);
    expect(panel.getSnapshot().questions).toMatchObject([{ url: 'https://example.com/e2' }]);
  });

  test('an answer of another kind is refused with what to answer, and the question stays', async () => {
    const { panel, agent } = await panelPair({ script: needsLogin });
    panel.newSession().catch(() => {});
    const asked = async (kind: string) => {
      const { questions } = await until(panel, (state) => state.questions.some((one) => one.kind === kind));
      return questions.find((one) => one.kind === kind)?.id ?? '';
    };
    const login = await asked('login');
    const refusal = (message: RegExp) => ({
      code: 'panel.refused',
      message: expect.stringMatching(message),
    });
    for (const answer of [{ optionId: 'a' }, { action: 'accept' }] as const)
      await expect(panel.answer(login, answer)).rejects.toMatchObject(refusal(/Answer with the methodId/));
    await panel.answer(login, { methodId: 'key' });
    await until(panel, ({ sessionId }) => sessionId === 's1');
    const url = { mode: 'url', url: 'https://example.com/', elicitationId: 'e1' };
    for (const mode of [url, { mode: 'form', requestedSchema }]) void elicit(agent(), mode);
    for (const kind of ['url', 'form']) {
      const id = await asked(kind);
      for (const answer of [{ optionId: 'a' }, { methodId: 'key' }])
        await expect(panel.answer(id, answer)).rejects.toMatchObject(refusal(/\{ action: 'accept' \}/));
      expect(panel.getSnapshot().questions.map((one) => one.id)).toContain(id);
    }
    const content = { name: 'xy', other: 1, more: 2 };
    await expect(panel.answer(await asked('form'), { action: 'accept', content })).rejects.toMatchObject(
      refusal(/does not have the field other, more\./),
    );
  });

  test.each([
    ['Reviewer', 'Reviewer'],
    [undefined, 'child'],
  ])('a permission that a subagent with the title %j asks for names it', async (title, subagent) => {
    const { panel, agent } = await panelPair();
    await panel.newSession();
    agent().update('s1', { sessionUpdate: 'subagent_update', sessionId: 'child', ...(title && { title }) });
    void askPermission(agent(), 'Edit', 'child');
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    expect(questions).toMatchObject([{ kind: 'permission', sessionId: 's1', subagent }]);
  });

  test('a login that runs is part of the state, and its question is open again when the user gives it up', async () => {
    const { panel, agent } = await panelPair({ script: needsLogin });
    agent().on('authenticate', () => noAnswer);
    const created = panel.newSession();
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    const methods = [{ methodId: 'key', name: 'API key' }];
    expect(questions).toMatchObject([{ kind: 'login', methods, reason: 'login first' }]);
    const answered = panel.answer(questions[0]?.id ?? '', { methodId: 'key' });
    await until(panel, ({ login }) => login?.name === 'API key');
    await agent().called('authenticate');
    await panel.cancelLogin();
    await expect(answered).rejects.toMatchObject({ code: 'panel.cancelled' });
    const { login } = await until(panel, (state) => state.login === null);
    expect({ login, questions: panel.getSnapshot().questions }).toEqual({ login: null, questions });
    needsLogin(agent());
    await panel.answer(questions[0]?.id ?? '', { methodId: 'key' });
    await created;
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', questions: [], login: null, problem: null });
    expect(agent().calls('authenticate')).toHaveLength(2);
  });

  const withButton = { authMethods: [{ id: 'key', name: 'API key' }] };
  const codex = { agentInfo: { name: '@agentclientprotocol/codex-acp', version: '1.0.0' } };
  test.each([
    ['Your plan needs a key.', withButton, 'Your plan needs a key.'],
    ['', withButton, ''],
    ['Run `tea login` first.', withButton, 'Run `tea login` first.\nRun in a terminal: `tea login`.'],
    ['Set TEA_KEY.', {}, 'Set TEA_KEY.\nSet TEA_KEY, and start the agent again.'],
    ['Set TEA_KEY.', withButton, 'Set TEA_KEY.\nSet TEA_KEY, and start the agent again.'],
    ['', {}, 'Log in with the program of the agent, or set its key, as its documentation describes.'],
    ['Not now.', codex, expect.stringContaining('`codex login`')],
  ])(
    'a login question that says %j, of an agent with %j, has the way that is no button, as the last line',
    async (said, advertised, reason) => {
      const { panel } = await panelPair({
        initialize: { protocolVersion: 1, ...advertised },
        answers: { 'session/new': refuses(-32000, said) },
      });
      panel.newSession().catch(() => {});
      const { questions } = await until(panel, (state) => state.questions.length === 1);
      expect(questions).toMatchObject([{ kind: 'login', reason }]);
    },
  );

  test('a login that is cancelled is a problem, and login without a question settles the question', async () => {
    const { panel } = await panelPair({ script: needsLogin });
    const refused = panel.newSession();
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    await panel.answer(questions[0]?.id ?? '', { action: 'cancel' });
    await expect(refused).rejects.toThrow(/login was cancelled/);
    expect(panel.getSnapshot().problem).toMatchObject({ code: 'panel.login', remedy: 'login' });
    const created = panel.newSession();
    await until(panel, (state) => state.questions.length === 1);
    await panel.login('key');
    await created;
    expect(panel.getSnapshot()).toMatchObject({ sessionId: 's1', questions: [] });
  });

  test('a login answers no question that asks for something else', async () => {
    const { panel, agent } = await panelPair({ script: (scripted) => scripted.on('authenticate', {}) });
    await panel.newSession();
    void askPermission(agent(), 'Edit');
    const { questions } = await until(panel, (state) => state.questions.length === 1);
    await panel.login('key');
    expect(panel.getSnapshot().questions).toEqual(questions);
  });

  test('a request that was withdrawn before it is put to the user is no question', async () => {
    const runner: MachineRunner = new MachineRunner([], (effect) => {
      if (effect.type === 'withdraw') open.withdraw(effect.id);
    });
    const open = new OpenQuestions(runner);
    const outcome = open.ask({
      question: { kind: 'url', id: open.nextId(), sessionId: null, message: 'Open it', url: '', host: '' },
      read: () => 'read',
      cancelled: 'cancelled',
      signal: AbortSignal.abort(),
    });
    // A second time has no effect.
    open.withdraw('q1');
    expect(runner.state.questions).toEqual([]);
    expect(await outcome).toBe('cancelled');
  });

  const unnamed = 'Set the environment variables that the agent names, then start the agent again.';
  test.each([
    [
      { type: 'env_var', vars: [{ name: 'A' }, { name: 'B' }] },
      'uses environment variables. Set A, B, then start the agent again.',
    ],
    [{ type: 'env_var', vars: [] }, `uses environment variables. ${unnamed}`],
    [{ type: 'env_var', vars: null }, `uses environment variables. ${unnamed}`],
    [
      { type: 'terminal', args: ['login'] },
      'runs in a terminal, and this editor has none for it. Run it in a terminal of your own, then start the agent again.',
    ],
  ])('a login with %j says what to do', async (fields, how) => {
    const authMethods = [{ id: 'own', name: 'Key', ...fields }];
    const { panel } = await panelPair({ initialize: { ...everything.v1, authMethods } });
    await expect(panel.login('own')).rejects.toMatchObject({
      code: 'panel.login',
      message: `The login "Key" ${how}`,
    });
  });

  test('a login in a terminal starts the agent again', async () => {
    const calls: unknown[] = [];
    const { panel, agents } = await panelPair({
      initialize: {
        ...everything.v1,
        authMethods: [{ id: 'tty', name: 'Terminal', type: 'terminal', args: ['login'] }],
      },
      options: {
        editor: { loginInTerminal: async ({ methodId }, agent) => void calls.push([methodId, agent]) },
      },
    });
    expect(panel.getSnapshot().authMethods).toEqual([
      { methodId: 'tty', name: 'Terminal', description: null, type: 'terminal' },
    ]);
    await panel.login('tty');
    await eventually(() => agents.length).toBe(2);
    expect(calls).toEqual([['tty', undefined]]);
  });
});
