// The agent side of the official SDK, version 1. `build` takes the entry point: stable or unstable.

const text = (said) => ({ type: 'text', text: said });

/** What the SDK made of each message, as its handlers were given it. */
export function build(acp, { unstable = false } = {}) {
  const { methods } = acp;
  const seen = [];
  const sessions = new Map();
  const cancelled = new Map();
  let loggedIn = false;

  const modes = {
    currentModeId: 'ask',
    availableModes: [
      { id: 'ask', name: 'Ask' },
      { id: 'code', name: 'Code' },
    ],
  };
  const configOptions = (model, brave) => [
    {
      id: 'model',
      name: 'Model',
      type: 'select',
      category: 'model',
      currentValue: model,
      options: [
        { value: 'small', name: 'Small' },
        { value: 'large', name: 'Large' },
      ],
    },
    { id: 'brave', name: 'Brave', type: 'boolean', currentValue: brave },
  ];
  const note = (method) => (context) => {
    seen.push({ method, params: context.params });
    return context;
  };
  const app = acp.agent({ name: 'official-v1' });
  const on = (method, handler) => app.onRequest(method, (context) => handler(note(method)(context)));

  const known = (sessionId) => {
    const session = sessions.get(sessionId);
    if (!session) throw acp.RequestError.resourceNotFound(sessionId);
    return session;
  };
  const update = (client, sessionId, ...updates) =>
    updates.reduce(
      (before, one) => before.then(() => client.notify('session/update', { sessionId, update: one })),
      Promise.resolve(),
    );

  on(methods.agent.initialize, ({ params }) => ({
    protocolVersion: 1,
    agentInfo: { name: 'official-v1', title: 'Official', version: '2.4.0' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        additionalDirectories: {},
        ...(unstable && { fork: {}, archive: {}, status: {}, title: {}, systemPrompt: { mode: {} } }),
      },
      auth: { logout: {}, ...(unstable && { status: {} }) },
      ...(unstable && { providers: {} }),
      _meta: { asked: params.protocolVersion },
    },
    authMethods: [
      { id: 'key', name: 'API key' },
      { type: 'terminal', id: 'tui', name: 'Terminal', args: ['login'], env: { MODE: 'login' } },
    ],
  }));
  on(methods.agent.authenticate, ({ params }) => {
    if (params.methodId !== 'key') throw acp.RequestError.invalidParams({ methodId: params.methodId });
    loggedIn = true;
    return {};
  });
  on(methods.agent.logout, () => {
    loggedIn = false;
    return {};
  });
  on(methods.agent.session.new, async ({ params, client }) => {
    const sessionId = `official-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd: params.cwd, said: [], model: 'small', brave: false, mode: 'ask' });
    // Before its answer, as some agents do.
    await update(client, sessionId, {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'web', description: 'Search', input: { hint: 'query' } }],
    });
    return { sessionId, modes, configOptions: configOptions('small', false) };
  });
  on(methods.agent.session.load, async ({ params, client }) => {
    const session = known(params.sessionId);
    await update(client, params.sessionId, ...session.said);
    return {
      modes: { ...modes, currentModeId: session.mode },
      configOptions: configOptions(session.model, session.brave),
    };
  });
  on(methods.agent.session.resume, ({ params }) => {
    known(params.sessionId);
    return {};
  });
  on(methods.agent.session.list, ({ params }) => {
    const all = [...sessions].map(([sessionId, { cwd }]) => ({
      sessionId,
      cwd,
      title: `Session ${sessionId}`,
    }));
    const from = params.cursor ? Number(params.cursor) : 0;
    const next = from + 1 < all.length ? { nextCursor: String(from + 1) } : {};
    return { sessions: all.slice(from, from + 1), ...next };
  });
  on(methods.agent.session.close, ({ params }) => {
    known(params.sessionId);
    return {};
  });
  on(methods.agent.session.delete, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  });
  on(methods.agent.session.setMode, async ({ params, client }) => {
    known(params.sessionId).mode = params.modeId;
    await update(client, params.sessionId, {
      sessionUpdate: 'current_mode_update',
      currentModeId: params.modeId,
    });
    return {};
  });
  on(methods.agent.session.setConfigOption, ({ params }) => {
    const session = known(params.sessionId);
    session[params.configId] = params.value;
    return { configOptions: configOptions(session.model, session.brave) };
  });

  const turns = {
    async talk(client, sessionId) {
      await update(
        client,
        sessionId,
        { sessionUpdate: 'agent_thought_chunk', messageId: 'm1', content: text('Hm.') },
        { sessionUpdate: 'plan', entries: [{ content: 'Answer', priority: 'high', status: 'in_progress' }] },
        { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Look', kind: 'read', status: 'in_progress' },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          status: 'completed',
          content: [{ type: 'diff', path: '/a', oldText: 'a', newText: 'b' }],
          locations: [{ path: '/a', line: 3 }],
        },
        { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('Hello ') },
        { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('there.') },
        { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
        { sessionUpdate: 'session_info_update', title: 'Greeting' },
      );
    },
    async permission(client, sessionId) {
      const { outcome } = await client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: 't2', title: 'Write', kind: 'edit', status: 'pending' },
        options: [
          { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
          { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
        ],
      });
      const chosen = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
      await update(
        client,
        sessionId,
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't2',
          status: chosen === 'allow' ? 'completed' : 'failed',
        },
        { sessionUpdate: 'agent_message_chunk', content: text(`The answer was ${chosen}.`) },
      );
    },
    async files(client, sessionId, path) {
      const { content } = await client.request('fs/read_text_file', { sessionId, path, line: 2, limit: 1 });
      await client.request('fs/write_text_file', {
        sessionId,
        path: `${path}.copy`,
        content: content.toUpperCase(),
      });
      const missing = await client
        .request('fs/read_text_file', { sessionId, path: `${path}.missing` })
        .catch((error) => ({ content: `error ${error.code}` }));
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: text(`${JSON.stringify(content)} ${missing.content}`),
      });
    },
    async terminal(client, sessionId) {
      const terminal = await client.createTerminal({
        sessionId,
        command: process.execPath,
        args: ['-e', 'process.stdout.write(process.env.WHO); process.exit(2)'],
        env: [{ name: 'WHO', value: 'me' }],
      });
      await update(client, sessionId, {
        sessionUpdate: 'tool_call',
        toolCallId: 't3',
        title: 'Run',
        kind: 'execute',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: terminal.id }],
      });
      const { exitCode } = await terminal.waitForExit();
      const { output, truncated } = await terminal.currentOutput();
      await terminal.kill();
      await terminal.release();
      const said = `${output} ${truncated} ${exitCode}`;
      await update(
        client,
        sessionId,
        { sessionUpdate: 'tool_call_update', toolCallId: 't3', status: 'completed' },
        { sessionUpdate: 'agent_message_chunk', content: text(said) },
      );
    },
    async count(client, sessionId) {
      const chunks = Array.from({ length: 2000 }, (_, n) => ({
        sessionUpdate: 'agent_message_chunk',
        messageId: 'c1',
        content: text(`${n} `),
      }));
      await update(client, sessionId, ...chunks);
    },
    async ask(client, sessionId) {
      const answer = await client.request('elicitation/create', {
        sessionId,
        mode: 'form',
        message: 'Who are you?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      });
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: text(JSON.stringify(answer)),
      });
    },
    async extension(client, sessionId) {
      const echo = await client.request('_client/echo', { sessionId, n: 1 });
      await client.notify('_client/note', { n: 2 });
      const unknown = await client.request('_client/unknown', {}).catch((error) => error.code);
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: text(JSON.stringify({ echo, unknown })),
      });
    },
    async wait(client, sessionId) {
      await update(client, sessionId, {
        sessionUpdate: 'tool_call',
        toolCallId: 't4',
        title: 'Wait',
        status: 'in_progress',
      });
      const asked = client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: 't4' },
        options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }],
      });
      await new Promise((resolve) => cancelled.set(sessionId, resolve));
      const { outcome } = await asked;
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: text(`Stopped: ${outcome.outcome}.`),
      });
      return 'cancelled';
    },
    async fail() {
      throw acp.RequestError.internalError({ why: 'because' }, 'the model is down');
    },
    async login() {
      if (!loggedIn) throw acp.RequestError.authRequired();
    },
  };

  on(methods.agent.session.prompt, async ({ params, client }) => {
    const session = known(params.sessionId);
    const [first] = params.prompt;
    const [name, argument] = first.type === 'text' ? first.text.split(' ') : ['talk'];
    const stopReason = await turns[name](client, params.sessionId, argument);
    session.said.push(
      { sessionUpdate: 'user_message_chunk', messageId: `u${session.said.length}`, content: first },
      {
        sessionUpdate: 'agent_message_chunk',
        messageId: `a${session.said.length}`,
        content: text(`Replayed ${name}`),
      },
    );
    return { stopReason: stopReason ?? 'end_turn' };
  });
  app.onNotification(methods.agent.session.cancel, ({ params }) => {
    seen.push({ method: 'session/cancel', params });
    cancelled.get(params.sessionId)?.();
  });
  app.onRequest(
    '_agent/seen',
    (params) => params,
    () => seen,
  );
  app.onRequest(
    '_agent/echo',
    (params) => params,
    ({ params }) => ({ echo: params }),
  );
  app.onNotification(
    '_agent/note',
    (params) => params,
    ({ params }) => {
      seen.push({ method: '_agent/note', params });
    },
  );

  if (unstable) {
    on(methods.agent.session.fork, ({ params }) => {
      sessions.set('fork', known(params.sessionId));
      return { sessionId: 'fork' };
    });
    on(methods.agent.session.archive, () => ({}));
    on(methods.agent.session.unarchive, () => ({}));
    on(methods.agent.session.status, ({ params }) => ({
      status: sessions.has(params.sessionId) ? 'open' : 'saved',
    }));
    on(methods.agent.session.setTitle, ({ params }) => ({ title: `${params.title}!` }));
    on(methods.agent.auth.status, () => ({
      state: loggedIn ? 'authenticated' : 'unauthenticated',
      accounts: [],
    }));
    on(methods.agent.providers.list, () => ({
      providers: [{ providerId: 'p', supported: ['openai'], required: false, current: null }],
    }));
    on(methods.agent.providers.set, () => ({}));
    on(methods.agent.providers.disable, () => ({}));
  }
  return app;
}
