const clients = {
  floor: async (options) =>
    options.remote
      ? (await import('./remote-floor.mjs')).connectRemoteFloor(options)
      : (await import('./floor.mjs')).connectFloor(options),
  keeper: async (options) => (await import('./floor.mjs')).connectKeeper(options),
  ours: async (options) => (await import('./ours.mjs')).connectOurs(options),
  official: async (options) => (await import('./official.mjs')).connectOfficial(options),
};

/**
 * Connects one of the clients compared. Only that one is loaded: the others must not weigh on its heap.
 *
 * @param options.corpus - What the agent replays. Without it, the agent has new sessions of version 1 only.
 */
export function connectClient(name, { corpus = { version: 1 }, ...options }) {
  const { version, sessionId, path, updates } = corpus;
  return clients[name]({ version, histories: { [sessionId]: path }, updates, ...options });
}
