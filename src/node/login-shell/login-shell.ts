import type * as v from 'valibot';
import { listenerForErrors } from '../../core/base/listeners.ts';
import {
  callback,
  checkOptions,
  numberBetween,
  optional,
  optionsObject,
  timeoutMs,
} from '../../core/base/options.ts';
import { settlesWithin } from '../../core/base/wait.ts';
import { editorEnvironment } from '../environment/editor-variables.ts';
import { absolutePath } from '../process/options.ts';
import { loginShell } from './login-shell-command.ts';
import { changesOfShell } from './login-shell-output.ts';
import { type ShellProblem, type ShellRun, startShell } from './login-shell-run.ts';

/** Options of {@link loginShellEnvironment}. */
export interface LoginShellOptions {
  /** How long the call takes at most, in milliseconds. `Infinity`: no limit. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** The shell, an absolute path. Default: `SHELL`, otherwise the shell of the user's account, otherwise `/bin/sh`. */
  readonly shell?: string | undefined;
  /** How old an earlier result may be, in milliseconds. 0 runs the shell again. Default: `Infinity`. */
  readonly maxAgeMs?: number | undefined;
  /** Called with what happened, and what to do, when the shell gave no variables. Not called on Windows. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** The part of the limit that is kept for the end of the shell and of what it started, and its maximum. */
const endShare = 0.5;
const maxEndMs = 300;

/**
 * Returns the variables that the user's login shell sets, for the option `env` of `spawnAgent`. An editor that was
 * started from a desktop does not have them: often its `PATH` lacks the directories of `npx`, `uvx` or the agent.
 *
 * Runs the shell as an interactive login shell in the home directory, without a terminal and without input, with
 * `VSCODE_RESOLVING_ENVIRONMENT=1`, by which startup files can skip slow parts. Returns the variables whose values
 * differ from those of this process. `PATH` has the directories of the shell, then those that only this process has. A
 * variable that the shell removed stays. The shell does not get the variables of the editor's own runtime, see
 * {@link editorEnvironment}. Left out are variables that only describe the run (such as `PWD`, `SHLVL` and `TERM`),
 * names with other characters than letters, digits and `_`, and values that are not UTF-8.
 *
 * The shell runs once for concurrent and later calls with the same shell and the same environment of this process.
 * After a failure, the next call runs it again. If it does not finish in time, or fails, the promise resolves with the
 * variables of its last good run, or with none, and `onProblem` says what happened. Before that, the shell and its
 * programs are ended. The last 300 ms of the limit are reserved for this, or half of a limit below 600 ms. After a good
 * run, only daemons that the shell started continue, such as an `ssh-agent`.
 *
 * Resolves with no variables on Windows, where programs of the desktop have all variables of the user.
 *
 * @throws {@link InvalidParamsError} if an option is wrong. The promise rejects for no other reason.
 *
 * @example
 * ```ts
 * const env = await loginShellEnvironment({ timeoutMs: 3000, onProblem: (message) => console.warn(message) });
 * const agent = spawnAgent({ command: 'npx', args: ['-y', 'some-agent'], env });
 * ```
 */
export async function loginShellEnvironment(
  options: LoginShellOptions = {},
): Promise<Record<string, string>> {
  checkOptions('loginShellEnvironment', optionsSchema, options);
  if (process.platform === 'win32') return {};
  const {
    timeoutMs = 5000,
    shell = loginShell(process.env),
    maxAgeMs = Number.POSITIVE_INFINITY,
    onProblem = () => {},
  } = options;
  const source = sourceOf(shell);
  const { good } = source;
  if (good && performance.now() - good.time < maxAgeMs) return { ...good.changes };

  const result = await resultWithin(source, timeoutMs);
  if ('changes' in result) return { ...result.changes };
  const rest = source.good ? 'The variables of its last good run are used.' : 'Its variables are not used.';
  listenerForErrors(onProblem)(`${result.problem} ${rest}`);
  return { ...source.good?.changes };
}

interface GoodResult {
  /** When it was read, as `performance.now` tells it. */
  readonly time: number;
  readonly changes: Readonly<Record<string, string>>;
}

interface Run extends Pick<ShellRun, 'ended' | 'stop'> {
  readonly result: Promise<GoodResult | ShellProblem>;
  /** How many calls wait for it. */
  waiting: number;
}

/** A shell in one environment: what its last good run gave, and the run that goes on. */
interface Source {
  readonly shell: string;
  /** The environment of this process, as programs that it starts get it. */
  readonly base: Readonly<Record<string, string>>;
  readonly baseKey: string;
  good: GoodResult | undefined;
  run: Run | undefined;
}

/** By the path of the shell. */
const sources = new Map<string, Source>();

function sourceOf(shell: string): Source {
  const base = editorEnvironment();
  const baseKey = JSON.stringify(base);
  const known = sources.get(shell);
  if (known?.baseKey === baseKey) return known;
  const source: Source = { shell, base, baseKey, good: undefined, run: undefined };
  sources.set(shell, source);
  return source;
}

/** Waits for the run of a shell, which is started if none goes on. The last call that gives up ends it. */
async function resultWithin(source: Source, timeoutMs: number): Promise<GoodResult | ShellProblem> {
  const deadline = performance.now() + timeoutMs;
  const remainingMs = () => Math.max(deadline - performance.now(), 0);
  source.run ??= startRun(source);
  const { run } = source;
  run.waiting++;
  const isInTime = await settlesWithin(run.result, timeoutMs - Math.min(timeoutMs * endShare, maxEndMs));
  run.waiting--;
  if (isInTime) {
    await settlesWithin(run.ended, remainingMs());
    return run.result;
  }
  if (run.waiting === 0) {
    if (source.run === run) source.run = undefined;
    await settlesWithin(run.stop(), remainingMs());
  }
  return {
    problem: `The login shell ${source.shell} did not give its variables within ${timeoutMs} ms. Its startup files are slow, or wait for something. The user can let them skip slow parts if VSCODE_RESOLVING_ENVIRONMENT is set, or the program can raise timeoutMs.`,
  };
}

function startRun(source: Source): Run {
  const { shell, base } = source;
  const { reading, ended, stop } = startShell(shell, base);
  const result = reading.then((read) => {
    if (source.run === run) source.run = undefined;
    if ('problem' in read) return read;
    source.good = { time: performance.now(), changes: changesOfShell(read.variables, base) };
    return source.good;
  });
  const run: Run = { result, ended, stop, waiting: 0 };
  return run;
}

const optionsSchema = optionsObject({
  timeoutMs: optional(timeoutMs),
  shell: optional(absolutePath),
  maxAgeMs: optional(numberBetween(0, Number.POSITIVE_INFINITY)),
  onProblem: optional(callback),
} satisfies Record<keyof LoginShellOptions, v.GenericSchema>);
