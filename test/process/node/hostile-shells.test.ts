import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { someOf } from '../../support/runs.ts';
import { neverComesMs } from '../../support/time.ts';
import { isWindows } from './processes.ts';
import { readGoodShell, readShell, useShellHome } from './shell-home.ts';

/** Runs the command line that the library passes to the shell, as `shell -i -l -c <command line>`. */
const goOn = 'export AFTER=yes; eval "$4"';
/** Notes the process that was started last. */
const note = 'echo $! >>"$HOME/pids"';

/** Scripts of shells that give their variables in the end. */
const good: Readonly<Record<string, string>> = {
  'prints megabytes to both outputs': `yes "noise $$" | head -c 3000000; yes "noise $$" | head -c 3000000 >&2; ${goOn}`,
  'prints escape sequences and a prompt without a line break': `printf '\\033[31m\\033]0;title\\007prompt$ '; ${goOn}`,
  'prints binary data': `head -c 1000000 /dev/urandom; printf 'PATH=/evil\\0A=b\\0'; ${goOn}`,
  'prints a false marker': `for n in 1 2 3; do printf '8b9d0c4e-0000-4000-8000-000000000000-%s\\nPATH=/evil\\0' $n; done; ${goOn}`,
  'prints the command line that it got': `echo "$4"; echo "$4" >&2; printf '%s' "$4"; ${goOn}`,
  'traces what it runs to its output': `exec 2>&1; set -xv; ${goOn}`,
  'asks a question': `printf 'Update? [y/n] '; read answer; ${goOn}`,
  'asks a question on the terminal': `read answer </dev/tty || echo "no terminal"; ${goOn}`,
  'leaves a process that keeps both outputs open': `sleep 987654 & ${note}; ${goOn}`,
  'leaves a process that ignores SIGTERM and SIGHUP': `(trap '' TERM HUP; while :; do sleep 1; done) & ${note}; ${goOn}`,
  'leaves a process that went to another session': `setsid sleep 987654 & ${note}; ${goOn}`,
  'leaves a process whose parent has exited': `(sleep 987654 & ${note}); ${goOn}`,
  'deletes all its variables': `for name in PATH HOME USER; do unset $name; done; ${goOn}`,
  'ignores SIGTERM itself': `trap '' TERM HUP INT; ${goOn}; while :; do sleep 1; done`,
  'exits with an error after the variables': `${goOn}; exit 9`,
};

/** Scripts of shells that give no variables, with what is reported. */
const bad: Readonly<Record<string, readonly [script: string, problem: RegExp]>> = {
  'exits with an error': ['echo "broken rc" >&2; exit 7', / exited with code 7 before .*\nbroken rc\n/s],
  'exits without an error': ['exit 0', / exited with code 0 before /],
  'is killed': ['kill -9 $$', / was ended by SIGKILL before /],
  'is replaced by another program': ['exec /bin/cat', / exited with code 0 before /],
  'exits and leaves processes': [
    `sleep 987654 & ${note}; (setsid sleep 987654 & ${note}); exit 1`,
    / exited with code 1 before /,
  ],
  'prints an endless stream': ['exec yes "endless noise"', / printed more than 64 MiB /],
  'prints an endless stream to stderr': ['exec yes "endless noise" >&2', / printed more than 64 MiB /],
  'prints one copy of the variables that was changed': [
    `eval "$4" | perl -pe '$| = 1; $done ||= s/HOME=/MOME=/'`,
    / while another program that it started wrote /,
  ],
};

/** Scripts of shells that never come to an end. */
const endless: Readonly<Record<string, string>> = {
  'never returns': 'sleep 987654',
  'runs in a circle': 'while :; do :; done',
  'ignores signals': "trap '' TERM HUP INT QUIT PIPE; while :; do sleep 1; done",
  'stops itself': 'kill -STOP $$',
  'closes its outputs': 'exec >&- 2>&-; sleep 987654',
  'prints only a part of the variables': 'eval "$4" | { head -c 100; cat >/dev/null; }',
  'drops its output': 'exec >/dev/null; eval "$4"; sleep 987654',
  'has left a daemon': `(setsid sleep 987654 & ${note}); sleep 987654`,
  'has left stubborn processes in sessions of their own':
    `setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' & ${note}; ` +
    `(setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' & ${note}); sleep 987654`,
  'starts processes again and again': 'while :; do sleep 987 & sleep 0.02; done',
};

describe.skipIf(isWindows)('a shell that', () => {
  test.each(someOf(Object.entries(good)))(
    '[security: login-shell] %s gives its variables, and nothing is left',
    async (_title, script) => {
      const home = useShellHome();
      const env = await readGoodShell({ shell: home.writeShell(script) });
      expect(env['AFTER']).toBe('yes');
      expect(env['PATH']).not.toBe('/evil');
      await home.nothingRuns();
    },
  );

  test.each(someOf(Object.entries(bad)))(
    '[security: login-shell] %s is reported, and nothing is left',
    async (_title, [script, problem]) => {
      const home = useShellHome();
      const shell = home.writeShell(script);
      const { env, problems } = await readShell({ shell, timeoutMs: 60_000 });
      expect(env).toEqual({});
      expect(problems).toEqual([expect.stringMatching(problem)]);
      expect(problems[0]).toContain(shell);
      await home.nothingRuns();
    },
  );

  test.each(someOf(Object.entries(endless)))(
    '[security: login-shell] %s is ended at the limit',
    async (_title, script) => {
      const home = useShellHome();
      const shell = home.writeShell(script);
      const { env, problems } = await readShell({ shell, timeoutMs: neverComesMs });
      expect(env).toEqual({});
      expect(problems).toEqual([expect.stringMatching(/ did not give its variables within 300 ms\. /)]);
      await home.nothingRuns();
    },
  );

  test('leaves an endless writer does not delay the call, and nothing is left', async () => {
    const home = useShellHome();
    const shell = home.writeShell(`yes & ${note}; sleep 0.1; ${goOn}`);
    // It depends on the system whether the variables or the noise come first.
    const { problems } = await readShell({ shell, timeoutMs: 60_000 });
    for (const problem of problems) expect(problem).toMatch(/printed more than|wrote to the same output/);
    await home.nothingRuns();
  });

  test('does not exist, cannot be run, or is a directory is reported', async () => {
    const home = useShellHome();
    const file = home.write('not-executable', 'exit 0\n');
    const folder = join(home.folder, 'folder');
    mkdirSync(folder);
    const problemsOf = async (shell: string) => (await readShell({ shell })).problems;
    expect(await problemsOf(join(home.folder, 'missing'))).toEqual([
      expect.stringMatching(/there is no file .*missing\. .* It is the user's login shell\. /),
    ]);
    expect(await problemsOf(file)).toEqual([expect.stringMatching(/is not executable\. /)]);
    expect(await problemsOf(folder)).toEqual([expect.stringMatching(/ is a directory\. /)]);
  });
});
