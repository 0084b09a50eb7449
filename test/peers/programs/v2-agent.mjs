// The agent side of the official SDK, the draft of version 2. `build` takes the entry point: stable or unstable.

const text = (said) => ({ type: 'text', text: said });
const base64 = (said) => Buffer.from(said).toString('base64');

export function build(acp, { unstable = false } = {}) {
  const { methods } = acp;
  const seen = [];
  const sessions = new Map();
  const cancelled = new Map();
  let loggedIn = false;

  const capabilities = {
    session: {
      prompt: { image: {}, embeddedContext: {} },
      mcp: { stdio: {}, http: {} },
      delete: {},
      additionalDirectories: {},
      ...(unstable && { fork: {}, archive: {}, status: {}, title: {}, systemPrompt: { mode: {} } }),
    },
    ...(unstable && { auth: { status: {} }, providers: {} }),
  };
  const configOptions = (model, brave) => [
    {
      configId: 'model',
      name: 'Model',
      type: 'select',
      category: 'model',
      currentValue: model,
      options: [
        { value: 'small', name: 'Small' },
        { value: 'large', name: 'Large' },
      ],
    },
    { configId: 'brave', name: 'Brave', type: 'boolean', currentValue: brave },
  ];
  const app = acp.agent({ name: 'official-v2' });
  const on = (method, handler) =>
    app.onRequest(method, (context) => {
      seen.push({ method, params: context.params });
      return handler(context);
    });
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
  const state = (name, more = {}) => ({ sessionUpdate: 'state_update', state: name, ...more });

  on(methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: 'official-v2', title: 'Official', version: '2.4.0' },
    capabilities,
    authMethods: [
      { type: 'agent', methodId: 'key', name: 'API key' },
      {
        type: 'terminal',
        methodId: 'tui',
        name: 'Terminal',
        args: ['login'],
        env: [{ name: 'MODE', value: 'login' }],
      },
    ],
  }));
  on(methods.agent.auth.login, ({ params }) => {
    if (params.methodId !== 'key') throw acp.RequestError.invalidParams({ methodId: params.methodId });
    loggedIn = true;
    return {};
  });
  on(methods.agent.auth.logout, () => {
    loggedIn = false;
    return {};
  });
  on(methods.agent.session.new, ({ params }) => {
    acp.assertSupportedMcpServers(params.mcpServers, capabilities.session.mcp);
    const sessionId = `official-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd: params.cwd, said: [], model: 'small', brave: false });
    return {
      sessionId,
      configOptions: configOptions('small', false),
      availableCommands: [
        { type: 'command', name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } },
      ],
    };
  });
  on(methods.agent.session.resume, async ({ params, client }) => {
    const session = known(params.sessionId);
    if (params.replayFrom) await update(client, params.sessionId, ...session.said);
    await update(client, params.sessionId, state('idle'));
    return { configOptions: configOptions(session.model, session.brave) };
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
        { sessionUpdate: 'agent_thought', messageId: 'm1', content: [text('Hm.')] },
        {
          sessionUpdate: 'plan_update',
          plan: {
            type: 'items',
            planId: 'p1',
            entries: [{ content: 'Answer', priority: 'high', status: 'in_progress' }],
          },
        },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          title: 'Look',
          kind: 'read',
          status: 'in_progress',
          capabilities: { cancel: {} },
        },
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't1',
          status: 'completed',
          content: [
            {
              type: 'diff',
              changes: [{ operation: 'modify', path: '/a' }],
              patch: { format: 'git_patch', text: 'diff --git a/a b/a\n' },
            },
          ],
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
        title: 'May I write?',
        subject: {
          type: 'tool_call',
          toolCall: { toolCallId: 't2', title: 'Write', kind: 'edit', status: 'pending' },
        },
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
        { sessionUpdate: 'agent_message_chunk', messageId: 'p2', content: text(`The answer was ${chosen}.`) },
      );
    },
    async terminal(client, sessionId) {
      const terminal = { sessionUpdate: 'terminal_update', terminalId: 'x' };
      await update(
        client,
        sessionId,
        {
          sessionUpdate: 'tool_call_content_chunk',
          toolCallId: 't3',
          content: { type: 'terminal', terminalId: 'x' },
        },
        { ...terminal, command: 'make', cwd: '/w', capabilities: { cancel: {} } },
        { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: base64('building\n') },
      );
      // It goes on in the background until the user stops it.
      await new Promise((resolve) => cancelled.set('terminal x', resolve));
      await update(
        client,
        sessionId,
        { ...terminal, exitStatus: { signal: 'SIGTERM' }, capabilities: null },
        { sessionUpdate: 'tool_call_update', toolCallId: 't3', status: 'cancelled' },
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
        messageId: 'e1',
        content: text(JSON.stringify(answer)),
      });
    },
    async extension(client, sessionId) {
      const echo = await client.request('_client/echo', { sessionId, n: 1 });
      await client.notify('_client/note', { n: 2 });
      const unknown = await client.request('_client/unknown', {}).catch((error) => error.code);
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        messageId: 'x1',
        content: text(JSON.stringify({ echo, unknown })),
      });
    },
    async wait(client, sessionId) {
      await update(client, sessionId, {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't4',
        title: 'Wait',
        status: 'in_progress',
      });
      const asked = client.request('session/request_permission', {
        sessionId,
        title: 'May I wait?',
        subject: { type: 'tool_call', toolCall: { toolCallId: 't4' } },
        options: [{ optionId: 'allow', name: 'Allow', kind: 'allow_once' }],
      });
      await new Promise((resolve) => cancelled.set(sessionId, resolve));
      const { outcome } = await asked;
      await update(client, sessionId, {
        sessionUpdate: 'agent_message_chunk',
        messageId: 'w1',
        content: text(`Stopped: ${outcome.outcome}.`),
      });
      return { stopReason: 'cancelled' };
    },
    async fail() {
      return { stopReason: 'error', error: { code: -32603, message: 'the model is down' } };
    },
  };

  on(methods.agent.session.prompt, async ({ params, client }) => {
    const session = known(params.sessionId);
    const { sessionId } = params;
    const [first] = params.prompt;
    const name = first.type === 'text' ? first.text.split(' ')[0] : 'talk';
    if (name === 'login' && !loggedIn) throw acp.RequestError.authRequired();
    const messageId = `u${session.said.length}`;
    const echo = { sessionUpdate: 'user_message', messageId, content: params.prompt };
    await update(client, sessionId, echo, state('running'));
    (turns[name] ?? turns.talk)(client, sessionId).then((end = { stopReason: 'end_turn' }) =>
      update(client, sessionId, state('idle', end)),
    );
    session.said.push(echo, {
      sessionUpdate: 'agent_message',
      messageId: `a${session.said.length}`,
      content: [text(`Replayed ${name}`)],
    });
    return { messageId };
  });
  on(methods.agent.toolCall.cancel, () => ({}));
  on(methods.agent.terminal.cancel, ({ params }) => {
    cancelled.get(`terminal ${params.terminalId}`)?.();
    return {};
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
