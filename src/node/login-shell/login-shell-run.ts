import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { lastLines } from '../../core/base/printable.ts';
import { describeExit } from '../../core/base/process-exit.ts';
import { deferred } from '../../core/base/wait.ts';
import { readText } from '../process/drain.ts';
import { ProcessTree } from '../process/process-tree.ts';
import { explainSpawnFailure } from '../process/spawn-failure.ts';
import type { Launch } from '../process/start-program.ts';
import { TextTail } from '../process/text-tail.ts';
import { shellArguments } from './login-shell-command.ts';
import { maxNoiseBytes, outputReader, type ShellVariables, signs } from './login-shell-output.ts';

/** What happened in a run that gave no variables, as sentences for the user. */
export type ShellProblem = { readonly problem: string };
/** What came of a run. */
export type ShellReading = { readonly variables: ShellVariables } | ShellProblem;

/** A shell that reads its startup files and prints its variables. */
export type ShellRun = ReturnType<typeof startShell>;

/** How long what the shell started may take to end in order. Interactive shells ignore SIGTERM. */
const killAfterMs = 200;
/** How much of stderr is kept for the message, in bytes. */
const stderrTailBytes = 2048;

/** Starts a shell in the environment `base`. It is ended when it has printed its variables, or when it fails. */
export function startShell(shell: string, base: Readonly<Record<string, string>>) {
  const mark = crypto.randomUUID();
  const launch: Launch = {
    command: shell,
    args: shellArguments(shell, mark),
    cwd: homeDirectory(),
    env: { ...base, SHELL: shell, ...signs },
  };
  // It leads a session without a terminal, so nothing that it starts can ask the user. Its exit is a crash, because it
  // waits when it has printed its variables: then daemons end too.
  const tree = new ProcessTree({ launch, stdin: 'ignore', daemons: 'spare', killAfterMs });
  // A shell that ignores SIGTERM goes on when its commands are ended, and could print what is only a part.
  const givenUp = deferred<ShellReading>();
  const reading = Promise.race([read(tree, launch, mark), givenUp.promise]);
  const ended = reading.then(async (result) => {
    // A daemon may be what the variables lead to, such as an ssh-agent.
    await ('variables' in result ? tree.close(0) : tree.kill());
    tree.stdout.destroy();
    tree.stderr.destroy();
  });
  return {
    /** Never rejects. If the shell never prints anything, settles when `stop` is called. */
    reading,
    /** Resolves when the shell and what it started have ended. Never rejects. */
    ended,
    /** Ends the shell and everything that it started, also daemons. Resolves like `ended`. */
    stop() {
      givenUp.resolve({ problem: `The login shell ${shell} was ended.` });
      return ended;
    },
  };
}

async function read(tree: ProcessTree, launch: Launch, mark: string): Promise<ShellReading> {
  const shell = launch.command;
  const stderrTail = new TextTail(stderrTailBytes);
  let stderrLength = 0;
  const printed = new Promise<ShellReading>((resolve) => {
    const refuse = (what: string) =>
      resolve({
        problem: `The login shell ${shell} ${what}. The user can correct its startup files, such as .profile, .bashrc, .zshrc or config.fish.`,
      });
    const tooLong = () => refuse(`printed more than ${maxNoiseBytes / 1024 / 1024} MiB and was ended`);
    const readOutput = outputReader(mark);
    const onOutput = (chunk: Buffer) => {
      const state = readOutput(chunk);
      if (state === 'incomplete') return;
      // What follows is read and dropped.
      tree.stdout.off('data', onOutput);
      if (state === 'too long') tooLong();
      else if (state === 'damaged') {
        refuse('printed its variables while another program that it started wrote to the same output');
      } else resolve({ variables: state });
    };
    tree.stdout.on('data', onOutput);
    readText(tree.stderr, (text) => {
      stderrTail.push(text);
      stderrLength += text.length;
      if (stderrLength > maxNoiseBytes) tooLong();
    });
  });
  const exited = tree.outcome.then(async (outcome): Promise<ShellReading> => {
    if ('failure' in outcome) {
      return {
        problem: `${await explainSpawnFailure(outcome.failure, launch)} It is the user's login shell.`,
      };
    }
    await tree.drained();
    const said = lastLines(stderrTail.text());
    return {
      problem: `The login shell ${shell} ${describeExit(outcome.status)} before it printed its variables. The user can correct its startup files: they may end the shell or replace it, which they should not do if VSCODE_RESOLVING_ENVIRONMENT is set.${said && ` The end of its stderr:\n${said}\n`}`,
    };
  });
  return Promise.race([printed, exited]);
}

/** The home directory, where login shells start. */
function homeDirectory(): string {
  try {
    const home = homedir();
    if (statSync(home).isDirectory()) return home;
  } catch {
    // The user has none, or it cannot be read.
  }
  return '/';
}
