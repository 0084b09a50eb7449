import { createMessageConnection, RAL } from 'vscode-jsonrpc';

type Timer = ReturnType<RAL['timer']['setTimeout']>;

const timeout = (task: () => void, ms: number): Timer => {
  const handle = setTimeout(task, ms);
  return { dispose: () => clearTimeout(handle) };
};

const immediate = (task: () => void): Timer => {
  if (typeof setImmediate === 'function') setImmediate(task);
  else queueMicrotask(task);
  // vscode-jsonrpc never takes such a task back.
  return { dispose() {} };
};

/**
 * What vscode-jsonrpc needs of its platform to dispatch messages. Its own platforms, `vscode-jsonrpc/node` and
 * `vscode-jsonrpc/browser`, add readers and writers for sockets and pipes, which this library does not use, and need a
 * `require` that bundles as ES modules do not have.
 */
const platform = { timer: { setTimeout: timeout, setImmediate: immediate }, console };

function hasPlatform(): boolean {
  try {
    return RAL() !== undefined;
  } catch {
    return false;
  }
}

/** As the function of vscode-jsonrpc. Keeps a platform that another part of the program has installed. */
export const createConnection: typeof createMessageConnection = (...args) => {
  // Sound: only the readers and writers of vscode-jsonrpc use the rest, and nothing uses an interval.
  if (!hasPlatform()) RAL.install(platform as unknown as RAL);
  return createMessageConnection(...args);
};
