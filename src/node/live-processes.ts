/** The programs that must not outlive this process. */
interface LiveProcesses {
  /** `kill` must end the program before it returns, and must not throw. Returns what takes it off the list. */
  add(kill: () => void): () => void;
}

/** The signals that end a process unless it listens to them. SIGKILL cannot be caught: the agent then sees its input end. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// One list for every copy of this module: the ESM and the CommonJS build may both be loaded, and two lists with
// listeners of their own would each take the other for the application's and let nobody end.
const key = Symbol.for('acp-client-sdk.live-processes');
// The cast only names the slot; whoever comes first fills it with a LiveProcesses.
const slot = globalThis as { [key]?: LiveProcesses };

/**
 * Ends every program on the list when this process exits or is ended by a signal. Listens only while the list has
 * entries. A signal that the application listens to is the application's: nothing is killed until it exits.
 */
export const liveProcesses: LiveProcesses = shared();

function shared(): LiveProcesses {
  slot[key] ??= createLiveProcesses();
  return slot[key];
}

function createLiveProcesses(): LiveProcesses {
  const kills = new Set<() => void>();

  const killAll = () => {
    for (const kill of kills) kill();
    kills.clear();
  };

  const onSignal = (signal: NodeJS.Signals) => {
    const cleaners = cleanerCount();
    if (process.listenerCount(signal) - 1 - cleaners > 0) return;
    killAll();
    unlisten();
    // With no listener left the signal does what it does to any process, and the exit status tells.
    if (cleaners === 0) process.kill(process.pid, signal);
  };

  const listen = () => {
    process.on('exit', killAll);
    // First in line: a listener added with `once` is gone from the count after it has run.
    for (const signal of endingSignals) process.prependListener(signal, onSignal);
  };

  const unlisten = () => {
    process.off('exit', killAll);
    for (const signal of endingSignals) process.off(signal, onSignal);
  };

  return {
    add(kill) {
      if (kills.size === 0) listen();
      kills.add(kill);
      return () => {
        if (kills.delete(kill) && kills.size === 0) unlisten();
      };
    },
  };
}

/**
 * How many listeners a signal has from `signal-exit`, which many packages load. It cleans up and passes the signal
 * on once no other listener is left, just as this module does: were each to take the other for the application,
 * Ctrl-C would end nothing. https://github.com/tapjs/signal-exit
 */
function cleanerCount(): number {
  const current: unknown = Reflect.get(globalThis, Symbol.for('signal-exit emitter'));
  const older: unknown = Reflect.get(process, '__signal_exit_emitter__');
  return countOf(current) + countOf(older);
}

function countOf(emitter: unknown): number {
  if (typeof emitter !== 'object' || emitter === null || !('count' in emitter)) return 0;
  return typeof emitter.count === 'number' ? emitter.count : 0;
}
