import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { type LoginShellOptions, loginShellEnvironment } from '../../../src/node/login-shell/login-shell.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isAlive, until } from './processes.ts';

/** A home directory with the startup files of a shell. */
export interface ShellHome {
  readonly folder: string;
  /** Writes a file. `path` is relative to the home directory. Returns the path of the file. */
  write(path: string, text: string): string;
  /** The text of a file, or an empty text. */
  read(path: string): string;
  /** Writes a program that is run by `/bin/sh`, for use as a shell. Returns its path. */
  writeShell(script: string): string;
  /** Resolves when nothing runs that a shell started in this home directory. */
  nothingRuns(): Promise<void>;
}

/** Makes an empty directory the home of the user until the end of the test, and forgets other startup files. */
export function useShellHome(): ShellHome {
  const folder = temporaryFolder('acp login shell ');
  vi.stubEnv('HOME', folder);
  for (const name of ['ZDOTDIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'ENV', 'BASH_ENV', 'TERM']) {
    vi.stubEnv(name, undefined);
  }
  onTestFinished(() => {
    vi.unstubAllEnvs();
    for (const pid of processesIn(folder)) process.kill(pid, 'SIGKILL');
  });
  const home: ShellHome = {
    folder,
    write(path, text) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    read(path) {
      try {
        return readFileSync(join(folder, path), 'utf8');
      } catch {
        return '';
      }
    },
    writeShell(script) {
      const file = home.write('shell', `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    async nothingRuns() {
      const noted = home.read('pids').split('\n').filter(Boolean).map(Number);
      await until(() => ![...noted, ...processesIn(folder)].some(isAlive));
    },
  };
  return home;
}

/** The processes with this home directory in their environment. Known on Linux only. */
function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`);
      } catch {
        return false;
      }
    })
    .filter((pid) => pid !== process.pid && isAlive(pid));
}

/** Reads a shell, and returns its variables with the problems that were reported. */
export async function readShell(options: LoginShellOptions) {
  const problems: string[] = [];
  const env = await loginShellEnvironment({ ...options, onProblem: (problem) => problems.push(problem) });
  return { env, problems };
}

/** Reads a shell that must give its variables. */
export async function readGoodShell(options: LoginShellOptions): Promise<Record<string, string>> {
  const { env, problems } = await readShell({ timeoutMs: 60_000, ...options });
  expect(problems).toEqual([]);
  return env;
}
