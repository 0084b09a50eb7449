const clients = {
  floor: async (options) =>
    options.remote
      ? (await import('./remote-floor.mjs')).connectRemoteFloor(options)
      : (await import('./floor.mjs')).connectFloor(options),
  keeper: async (options) => (await import('./floor.mjs')).connectKeeper(options),
  ours: async (options) => (await import('./ours.mjs')).connectOurs(options),
  official: async (options) => (await import('./official.mjs')).connectOfficial(options),
};

/** Connects one of the clients compared. Only that one is loaded: the others must not weigh on its heap. */
export function connectClient(name, options) {
  return clients[name](options);
}
