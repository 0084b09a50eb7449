import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { loginShellEnvironment } from '../../../src/node/login-shell/login-shell.ts';
import { installedProgram } from '../../../src/node/process/program-path.ts';
import { neverComesMs } from '../../support/time.ts';
import { isAlive, isWindows, listenTo, until } from './processes.ts';
import { readGoodShell, readShell, type ShellHome, useShellHome } from './shell-home.ts';

/** How the startup files of a shell are written. */
interface Shell {
  /** The files that an interactive login shell reads. */
  readonly files: readonly string[];
  readonly set: (name: string, value: string) => string;
  readonly unset: (name: string) => string;
  /** Starts a program in the background. */
  readonly background: (program: string) => string;
  /** Sets a variable if the shell is interactive. */
  readonly ifInteractive: string;
}

const posix = {
  set: (name, value) => `export ${name}='${value}'`,
  unset: (name) => `unset ${name}`,
  background: (program) => `${program} &`,
  ifInteractive: 'case $- in *i*) export INTERACTIVE=yes;; esac',
} satisfies Partial<Shell>;

const csh = {
  set: (name, value) => `setenv ${name} '${value.replaceAll('\n', '\\\n')}'`,
  unset: (name) => `unsetenv ${name}`,
  background: (program) => `${program} &`,
  // It has no prompt with `-c`.
  ifInteractive: 'setenv INTERACTIVE yes',
} satisfies Partial<Shell>;

const shells: Readonly<Record<string, Shell>> = {
  // `set -m`: the program gets a process group of its own.
  bash: { ...posix, files: ['.bash_profile'], background: (program) => `set -m; ${program} &` },
  zsh: { ...posix, files: ['.zshenv', '.zprofile', '.zshrc', '.zlogin'] },
  dash: { ...posix, files: ['.profile'] },
  fish: {
    files: ['.config/fish/config.fish'],
    set: (name, value) => `set -gx ${name} '${value}'`,
    unset: (name) => `set -e ${name}`,
    background: (program) => `${program} &`,
    ifInteractive: 'status is-interactive; and set -gx INTERACTIVE yes',
  },
  mksh: { ...posix, files: ['.profile'] },
  tcsh: { ...csh, files: ['.tcshrc'] },
};

const names = Object.keys(shells);
const pathOf = (name: string) => installedProgram(name, process.env);
const missing = names.filter((name) => pathOf(name) === undefined);
if (missing.length > 0 && !isWindows) {
  process.stderr.write(`The tests of the login shells ${missing.join(', ')} are skipped: not installed.\n`);
}

describe.skipIf(isWindows).each(names.filter((name) => !missing.includes(name)))('%s', (name) => {
  const shell = shells[name]!;
  const path = pathOf(name)!;

  function useStartupFile(...lines: readonly string[]): ShellHome {
    const home = useShellHome();
    vi.stubEnv('SHELL', path);
    home.write(shell.files.at(-1)!, `${lines.join('\n')}\n`);
    return home;
  }

  test('gives the variables of its startup files as an interactive login shell, with any text', async () => {
    const text = `two words, "quotes", a=b, $HOME, \`x\`, größe\nand lines\n\n`;
    const home = useStartupFile(shell.set('ACP_TEXT', text), shell.set('EMPTY', ''), shell.ifInteractive);
    for (const file of shell.files.slice(0, -1)) {
      home.write(file, `${shell.set(`FROM_${file.replace(/\W/g, '').toUpperCase()}`, file)}\n`);
    }
    const fromFiles = shell.files.slice(0, -1).map((file) => [`FROM_${file.slice(1).toUpperCase()}`, file]);
    expect(await readGoodShell({})).toMatchObject({
      ACP_TEXT: text,
      EMPTY: '',
      INTERACTIVE: 'yes',
      ...Object.fromEntries(fromFiles),
    });
    await home.nothingRuns();
  });

  test('changes variables, and does not repeat those of this process or describe its run', async () => {
    useStartupFile(shell.set('CHANGED', 'new'), shell.unset('REMOVED'), 'cd /');
    vi.stubEnv('CHANGED', 'old');
    vi.stubEnv('KEPT', 'kept');
    vi.stubEnv('REMOVED', 'still here');
    const env = await readGoodShell({});
    expect(env['CHANGED']).toBe('new');
    const unchanged = Object.entries(env).filter(([key, value]) => process.env[key] === value);
    expect(unchanged).toEqual([]);
    const ofTheRun = ['PWD', 'OLDPWD', 'SHLVL', '_', 'TERM', 'VSCODE_RESOLVING_ENVIRONMENT'];
    expect(Object.keys(env).filter((key) => [...ofTheRun, 'KEPT', 'REMOVED'].includes(key))).toEqual([]);
    expect(Object.keys(env).filter((key) => /^(?:ACP_CLIENT|VSCODE|DISABLE|ZSH_TMUX)/.test(key))).toEqual([]);
  });

  test('comes first in PATH, before what only this process has, without duplicates', async () => {
    useStartupFile(shell.set('PATH', '/from/shell:/usr/bin:/bin:/from/shell'));
    vi.stubEnv('PATH', '/usr/bin:/only/here:/bin');
    expect((await readGoodShell({}))['PATH']).toBe('/from/shell:/usr/bin:/bin:/only/here');
  });

  test('keeps the PATH of this process if it deletes its own', async () => {
    useStartupFile(shell.unset('PATH'), shell.set('AFTER', 'yes'));
    const env = await readGoodShell({});
    expect(env['AFTER']).toBe('yes');
    // Some shells then set a default.
    for (const folder of process.env['PATH']!.split(delimiter)) {
      expect((env['PATH'] ?? process.env['PATH'])!.split(delimiter)).toContain(folder);
    }
  });

  test('ends with what it left in the background', async () => {
    const home = useStartupFile(shell.background('/bin/sleep 987654'), shell.set('AFTER', 'yes'));
    expect((await readGoodShell({}))['AFTER']).toBe('yes');
    await home.nothingRuns();
  });

  test('has no terminal from which it can read, and an empty input', async () => {
    const ask = `/bin/sh -c 'read answer; echo "$?" >>"$HOME/asked"; read answer </dev/tty; echo "$?" >>"$HOME/asked"'`;
    const home = useStartupFile(ask, shell.set('AFTER', 'yes'));
    expect((await readGoodShell({}))['AFTER']).toBe('yes');
    expect(home.read('asked')).toMatch(/^[1-9]\d*\n[1-9]\d*\n$/);
  });
});

describe.skipIf(isWindows)('the result', () => {
  test('starts an agent whose program is only in the PATH of the shell', async () => {
    const home = useShellHome();
    home.write('.profile', 'export PATH="$HOME/tools:$PATH" ACP_KEY=secret\n');
    const program = `#!/bin/sh\nread line\necho '{"key":"'"$ACP_KEY"'"}'\nread line\n`;
    chmodSync(home.write('tools/only-in-shell', program), 0o755);
    vi.stubEnv('SHELL', '/bin/sh');
    const agent = spawnAgent({
      command: 'only-in-shell',
      env: await loginShellEnvironment({ timeoutMs: 60_000 }),
    });
    onTestFinished(() => agent.close());
    const messages: unknown[] = [];
    listenTo(agent, (message) => messages.push(message));
    await agent.send({});
    await until(() => messages.length > 0);
    expect(messages).toEqual([{ key: 'secret' }]);
  });

  test('comes from one run for concurrent and later calls, and from a new run when maxAgeMs asks for it', async () => {
    const home = useShellHome();
    const shell = home.writeShell('echo run >>"$HOME/runs"; export COUNT=$(wc -l <"$HOME/runs"); eval "$4"');
    const runs = () => home.read('runs').split('\n').length - 1;
    const [first, second] = await Promise.all([readGoodShell({ shell }), readGoodShell({ shell })]);
    expect(second).toEqual(first);
    expect(await readGoodShell({ shell, maxAgeMs: 3_600_000 })).toEqual(first);
    expect(runs()).toBe(1);
    const [third, fourth] = await Promise.all([
      readGoodShell({ shell, maxAgeMs: 0 }),
      readGoodShell({ shell, maxAgeMs: 0 }),
    ]);
    expect(third?.['COUNT']?.trim()).toBe('2');
    expect(fourth).toEqual(third);
    expect(await readGoodShell({ shell })).toEqual(third);
    expect(runs()).toBe(2);
  });

  test('is read again when the environment of this process has changed, not when a result was', async () => {
    const home = useShellHome();
    const shell = home.writeShell('export COPY="$ORIGINAL"; eval "$4"');
    vi.stubEnv('ORIGINAL', 'a');
    const env = await readGoodShell({ shell });
    expect(env['COPY']).toBe('a');
    env['COPY'] = 'changed';
    expect((await readGoodShell({ shell }))['COPY']).toBe('a');
    vi.stubEnv('ORIGINAL', 'b');
    expect((await readGoodShell({ shell }))['COPY']).toBe('b');
  });

  test('is that of the last good run while the shell fails, and a failure is not kept', async () => {
    const home = useShellHome();
    const shell = home.writeShell('[ -e "$HOME/broken" ] && exit 1; export A=1; eval "$4"');
    home.write('broken', '');
    expect(await readShell({ shell, timeoutMs: 60_000 })).toEqual({
      env: {},
      problems: [expect.stringMatching(/exited with code 1 .* Its variables are not used\.$/s)],
    });
    rmSync(join(home.folder, 'broken'));
    expect(await readGoodShell({ shell })).toMatchObject({ A: '1' });
    home.write('broken', '');
    const { env, problems } = await readShell({ shell, timeoutMs: 60_000, maxAgeMs: 0 });
    expect(env).toMatchObject({ A: '1' });
    expect(problems).toEqual([expect.stringMatching(/The variables of its last good run are used\.$/)]);
  });

  test('comes to a call with a longer limit after another call has given up', async () => {
    const home = useShellHome();
    const shell = home.writeShell('while ! [ -e "$HOME/go" ]; do sleep 0.05; done; export A=1; eval "$4"');
    const patient = readGoodShell({ shell });
    const hasty = await readShell({ shell, timeoutMs: neverComesMs });
    expect(hasty).toMatchObject({
      env: {},
      problems: [expect.stringContaining(`within ${neverComesMs} ms`)],
    });
    home.write('go', '');
    expect(await patient).toMatchObject({ A: '1' });
    await home.nothingRuns();
  });

  test('comes when what the shell left has ended', async () => {
    const home = useShellHome();
    const stubborn = `(trap '' TERM HUP; while :; do sleep 1; done) & echo $! >"$HOME/pid"`;
    const shell = home.writeShell(`${stubborn}; export A=1; eval "$4"`);
    await readGoodShell({ shell });
    expect(isAlive(Number(home.read('pid')))).toBe(false);
  });

  test.each([
    [5000, 4700],
    [400, 200],
  ])('comes within %j ms: the shell has %j ms, and its end the rest', async (timeoutMs, forShellMs) => {
    const home = useShellHome();
    const wait = 'touch "$HOME/started"; while ! [ -e "$HOME/go" ]; do sleep 0.05; done';
    const shell = home.writeShell(`${wait}; export A=1; eval "$4"`);
    const readUntil = async (ms: number) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const reading = readShell({ shell, timeoutMs });
      while (!existsSync(join(home.folder, 'started'))) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(ms);
      return { reading };
    };
    const late = await readUntil(timeoutMs);
    expect((await late.reading).problems).toEqual([expect.stringContaining(`within ${timeoutMs} ms.`)]);
    rmSync(join(home.folder, 'started'));
    const { reading } = await readUntil(forShellMs - 1);
    vi.useRealTimers();
    home.write('go', '');
    expect(await reading).toMatchObject({ env: { A: '1' }, problems: [] });
    await home.nothingRuns();
  });

  test('leaves a daemon running that the variables lead to', async () => {
    const home = useShellHome();
    const start = `(setsid sh -c 'echo $$ >"$HOME/daemon"; exec sleep 987654' >/dev/null 2>&1 &)`;
    const wait = 'while ! [ -s "$HOME/daemon" ]; do sleep 0.01; done';
    const shell = home.writeShell(`${start}; ${wait}; export AGENT_PID=$(cat "$HOME/daemon"); eval "$4"`);
    const reading = readGoodShell({ shell });
    // Everything that the shell does comes at once when this process is busy: also its end, if it exited by itself.
    execFileSync('/bin/sh', ['-c', `${wait}; sleep 0.5`]);
    const { AGENT_PID } = await reading;
    expect(isAlive(Number(AGENT_PID))).toBe(true);
  });
});

describe.skipIf(isWindows)('the shell', () => {
  test('starts in the home directory, with SHELL and with signs for its startup files', async () => {
    const home = useShellHome();
    vi.stubEnv('SHELL', undefined);
    const shell = home.writeShell(
      'export FOLDER="$(pwd -P)" SIGNS="$VSCODE_RESOLVING_ENVIRONMENT $DISABLE_AUTO_UPDATE $ZSH_TMUX_AUTOSTARTED"; eval "$4"',
    );
    expect(await readGoodShell({ shell })).toMatchObject({
      FOLDER: expect.stringContaining(home.folder),
      SIGNS: '1 true true',
      SHELL: shell,
    });
  });

  test('does not get the variables of the editor, and its result does not have them', async () => {
    const home = useShellHome();
    const script = 'export SEEN="$ELECTRON_RUN_AS_NODE$VSCODE_PID" OF_THE_USER="$USER_WORD"; eval "$4"';
    const shell = home.writeShell(script);
    vi.stubEnv('ELECTRON_RUN_AS_NODE', '1');
    vi.stubEnv('VSCODE_PID', '42');
    vi.stubEnv('USER_WORD', 'word');
    const env = await readGoodShell({ shell });
    expect(env).toMatchObject({ SEEN: '', OF_THE_USER: 'word' });
    expect(Object.keys(env).filter((name) => /^(?:ELECTRON|VSCODE)/.test(name))).toEqual([]);
  });

  test('starts in the root directory if the user has no home directory', async () => {
    const home = useShellHome();
    const shell = home.writeShell('export FOLDER="$PWD"; eval "$4"');
    for (const wrong of ['missing', 'shell']) {
      vi.stubEnv('HOME', join(home.folder, wrong));
      expect((await readGoodShell({ shell }))['FOLDER']).toBe('/');
    }
  });

  // Its session is known on Linux only.
  test.runIf(process.platform === 'linux')('leads a session without a terminal', async () => {
    const home = useShellHome();
    const shell = home.writeShell('export STAT="$(cat /proc/$$/stat)"; eval "$4"');
    const { STAT } = await readGoodShell({ shell });
    const [pid] = STAT!.split(' ');
    const [, , , session, terminal] = STAT!.slice(STAT!.lastIndexOf(')') + 2).split(' ');
    expect([session, terminal]).toEqual([pid, '0']);
  });
});

test('wrong options are refused, and nothing runs', async () => {
  const wrong = [
    { timeoutMs: 0 },
    { timeoutMs: '3000' },
    { shell: 'bash' },
    { shell: '' },
    { maxAgeMs: -1 },
    { onProblem: 'log' },
    { timeout: 3000 },
  ];
  for (const options of wrong) {
    // As a program in JavaScript can call it.
    await expect(loginShellEnvironment(options as never)).rejects.toBeInstanceOf(InvalidParamsError);
  }
});

test.runIf(isWindows)('on Windows there are no changes and no problems', async () => {
  expect(await readGoodShell({})).toEqual({});
});
