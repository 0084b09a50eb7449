// What an agent of the official SDK does in the same way in both versions.

export const text = (said) => ({ type: 'text', text: said });

/** Capabilities that have no settings. */
export const supported = (...names) => Object.fromEntries(names.map((name) => [name, {}]));

/** What only the unstable entry point of the SDK knows of sessions. */
export const unstableSession = {
  ...supported('fork', 'archive', 'status', 'title'),
  systemPrompt: { mode: {} },
};

/** The state of an agent, and what its handlers share. `idKey` is the name of an option's id, `auth` has the methods. */
export function begin(acp, { name, idKey, auth, unstable }) {
  const { agent: methods } = acp.methods;
  const app = acp.agent({ name });
  /** What the SDK made of each message, as its handlers were given it. */
  const seen = [];
  const sessions = new Map();
  const cancelled = new Map();
  let loggedIn = false;

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
  const configOptions = ({ model, brave }) => [
    {
      [idKey]: 'model',
      name: 'Model',
      type: 'select',
      category: 'model',
      currentValue: model,
      options: [
        { value: 'small', name: 'Small' },
        { value: 'large', name: 'Large' },
      ],
    },
    { [idKey]: 'brave', name: 'Brave', type: 'boolean', currentValue: brave },
  ];
  const create = ({ cwd }) => {
    const sessionId = `official-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd, said: [], model: 'small', brave: false, mode: 'ask' });
    return sessionId;
  };
  const requireLogin = () => {
    if (!loggedIn) throw acp.RequestError.authRequired();
  };

  on(auth.login, ({ params }) => {
    if (params.methodId !== 'key') throw acp.RequestError.invalidParams({ methodId: params.methodId });
    loggedIn = true;
    return {};
  });
  on(auth.logout, () => {
    loggedIn = false;
    return {};
  });
  on(methods.session.list, ({ params }) => {
    const all = [...sessions].map(([sessionId, { cwd }]) => ({
      sessionId,
      cwd,
      title: `Session ${sessionId}`,
    }));
    const from = params.cursor ? Number(params.cursor) : 0;
    const next = from + 1 < all.length ? { nextCursor: String(from + 1) } : {};
    return { sessions: all.slice(from, from + 1), ...next };
  });
  on(methods.session.close, ({ params }) => {
    known(params.sessionId);
    return {};
  });
  on(methods.session.delete, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  });
  on(methods.session.setConfigOption, ({ params }) => {
    const session = known(params.sessionId);
    session[params.configId] = params.value;
    return { configOptions: configOptions(session) };
  });
  app.onNotification(methods.session.cancel, ({ params }) => {
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
    on(methods.session.fork, ({ params }) => {
      sessions.set('fork', known(params.sessionId));
      return { sessionId: 'fork' };
    });
    on(methods.session.archive, () => ({}));
    on(methods.session.unarchive, () => ({}));
    on(methods.session.status, ({ params }) => ({
      status: sessions.has(params.sessionId) ? 'open' : 'saved',
    }));
    on(methods.session.setTitle, ({ params }) => ({ title: `${params.title}!` }));
    on(methods.auth.status, () => ({
      state: loggedIn ? 'authenticated' : 'unauthenticated',
      accounts: [],
    }));
    on(methods.providers.list, () => ({
      providers: [{ providerId: 'p', supported: ['openai'], required: false, current: null }],
    }));
    on(methods.providers.set, () => ({}));
    on(methods.providers.disable, () => ({}));
  }

  /** Turns that differ in the form of their messages only: `message` makes an update with a text. */
  const turns = (message) => ({
    async count(client, sessionId) {
      const chunks = Array.from({ length: 2000 }, (_, n) => ({ ...message('c1', `${n} `), messageId: 'c1' }));
      await update(client, sessionId, ...chunks);
    },
    async ask(client, sessionId) {
      const answer = await client.request('elicitation/create', {
        sessionId,
        mode: 'form',
        message: 'Who are you?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      });
      await update(client, sessionId, message('e1', JSON.stringify(answer)));
    },
    async extension(client, sessionId) {
      const echo = await client.request('_client/echo', { sessionId, n: 1 });
      await client.notify('_client/note', { n: 2 });
      const unknown = await client.request('_client/unknown', {}).catch((error) => error.code);
      await update(client, sessionId, message('x1', JSON.stringify({ echo, unknown })));
    },
  });

  return { app, on, sessions, cancelled, known, update, configOptions, create, requireLogin, turns };
}
