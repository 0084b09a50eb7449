import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sessions of an agent. Each is a file with its parameters and all its updates, which another run of the agent reads. */
export function archiveIn(folder) {
  mkdirSync(folder, { recursive: true });
  const fileOf = (sessionId) => join(folder, `${sessionId}.json`);
  const archive = {
    newId: () => crypto.randomUUID(),
    list: () => readdirSync(folder).map((file) => archive.read(file.replace(/\.json$/, ''))),
    /** The session, or `undefined`. */
    read(sessionId) {
      try {
        return JSON.parse(readFileSync(fileOf(sessionId), 'utf8'));
      } catch {
        return undefined;
      }
    },
    write: (session) => writeFileSync(fileOf(session.sessionId), JSON.stringify(session)),
    remove: (sessionId) => rmSync(fileOf(sessionId), { force: true }),
  };
  return archive;
}

/** The same for one run. */
export function archiveInMemory() {
  const sessions = new Map();
  return {
    newId: () => `official-${sessions.size + 1}`,
    list: () => [...sessions.values()],
    read: (sessionId) => sessions.get(sessionId),
    write: (session) => sessions.set(session.sessionId, session),
    remove: (sessionId) => sessions.delete(sessionId),
  };
}

/** Capabilities that have no settings. */
export const supported = (...names) => Object.fromEntries(names.map((name) => [name, {}]));

/** What only the unstable entry point of the SDK knows of sessions. */
export const unstableSession = {
  ...supported('fork', 'archive', 'status', 'title'),
  systemPrompt: { mode: {} },
};

/** Runs the turns of each session one after the other. */
class SessionTurns {
  #open = new Map();

  /** Runs `turn` when the earlier turns of the session have ended. A cancel aborts its `signal`. */
  async run(sessionId, turn) {
    const cancelled = new AbortController();
    const session = this.#of(sessionId);
    const mine = session.last.then(() => turn(cancelled.signal));
    session.waiting.add(cancelled);
    session.last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      session.waiting.delete(cancelled);
    }
  }

  cancel(sessionId) {
    for (const turn of this.#of(sessionId).waiting) turn.abort(new Error('cancelled'));
  }

  #of(sessionId) {
    const known = this.#open.get(sessionId) ?? { last: Promise.resolve(), waiting: new Set() };
    this.#open.set(sessionId, known);
    return known;
  }
}

/**
 * An agent with what is the same in both versions: its sessions, its login, and what it was sent.
 *
 * @param acp - The entry point of the SDK.
 * @param version - `{ number, idKey, auth }`: `idKey` is the name of an option's id, `auth` has the methods of the login.
 * @param offers - `sessions` alone, or also all else that is `stable`, or that is `unstable`.
 */
export function begin(acp, archive, { number, idKey, auth }, offers) {
  const { agent: methods } = acp.methods;
  const app = acp.agent({ name: `official-v${number}` });
  const turns = new SessionTurns();
  /** What the SDK made of each message, as its handlers were given it. */
  const seen = [];
  let loggedIn = false;

  const on = (method, handler) =>
    app.onRequest(method, (context) => {
      seen.push({ method, params: context.params });
      return handler(context);
    });
  const known = (sessionId) => {
    const session = archive.read(sessionId);
    if (!session) throw acp.RequestError.resourceNotFound(sessionId);
    return session;
  };
  const create = ({ cwd }) => {
    const session = {
      sessionId: archive.newId(),
      cwd,
      updates: [],
      model: 'small',
      brave: false,
      mode: 'ask',
    };
    archive.write(session);
    return session;
  };
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
  /** Refuses a prompt that says that it needs a login. */
  const mayPrompt = ([{ text }]) => {
    if (text === 'login' && !loggedIn) throw acp.RequestError.authRequired();
  };

  on(methods.session.list, ({ params }) => {
    const all = archive.list().filter(({ cwd }) => params.cwd == null || cwd === params.cwd);
    const from = Number(params.cursor ?? 0);
    const next = from + 1 < all.length ? { nextCursor: String(from + 1) } : {};
    const page = all.slice(from, from + 1);
    return {
      sessions: page.map(({ sessionId, cwd }) => ({ sessionId, cwd, title: `Session ${sessionId}` })),
      ...next,
    };
  });
  on(methods.session.close, ({ params: { sessionId } }) => {
    known(sessionId);
    turns.cancel(sessionId);
    return {};
  });
  on(methods.session.delete, ({ params }) => {
    archive.remove(params.sessionId);
    return {};
  });
  app.onNotification(methods.session.cancel, ({ params }) => {
    seen.push({ method: 'session/cancel', params });
    turns.cancel(params.sessionId);
  });
  const offered = { app, on, turns, known, create, configOptions, mayPrompt };
  if (offers === 'sessions') return { ...offered, info: { name: 'sdk-agent', version: '1.0.0' } };

  on(auth.login, ({ params }) => {
    if (params.methodId !== 'key') throw acp.RequestError.invalidParams({ methodId: params.methodId });
    loggedIn = true;
    return {};
  });
  on(auth.logout, () => {
    loggedIn = false;
    return {};
  });
  on(methods.session.setConfigOption, ({ params }) => {
    const session = known(params.sessionId);
    session[params.configId] = params.value;
    archive.write(session);
    return { configOptions: configOptions(session) };
  });
  const asItCame = (params) => params;
  app.onRequest('_agent/seen', asItCame, () => seen);
  app.onRequest('_agent/echo', asItCame, ({ params }) => ({ echo: params }));
  app.onNotification('_agent/note', asItCame, ({ params }) => {
    seen.push({ method: '_agent/note', params });
  });
  if (offers === 'unstable') {
    on(methods.session.fork, ({ params }) => {
      archive.write({ ...known(params.sessionId), sessionId: 'fork' });
      return { sessionId: 'fork' };
    });
    on(methods.session.archive, () => ({}));
    on(methods.session.unarchive, () => ({}));
    on(methods.session.status, ({ params }) => ({
      status: archive.read(params.sessionId) ? 'open' : 'saved',
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
  return { ...offered, info: { name: `official-v${number}`, title: 'Official', version: '2.4.0' } };
}
