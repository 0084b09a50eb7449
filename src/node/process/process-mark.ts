import { randomUUID } from 'node:crypto';

/**
 * The variable that marks the processes of one start. A process inherits it, so it is found although it moved to
 * another session and its parents have exited.
 */
export const markName = 'ACP_CLIENT_START';

/** A value for one start, or `undefined` on systems without `/proc`. */
export function createMark(): string | undefined {
  return process.platform === 'linux' ? randomUUID() : undefined;
}

type Environment = Readonly<Record<string, string>>;

/** The environment with the mark of a start. It replaces the mark of an agent in which this process itself runs. */
export function markedEnvironment(env: Environment, mark: string | undefined): Environment {
  return mark === undefined ? env : { ...env, [markName]: mark };
}

/** The mark in an environment as `/proc/<pid>/environ` shows it: variables that each end with a NUL character. */
export function markIn(environ: string): string | undefined {
  const prefix = `${markName}=`;
  return environ
    .split('\0')
    .find((variable) => variable.startsWith(prefix))
    ?.slice(prefix.length);
}
