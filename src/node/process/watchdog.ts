import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { settlesWithin } from '../../core/base/wait.ts';
import { markName, type Program } from './process-table.ts';

/**
 * Gets a list of programs as its arguments, reads changes of the list from its input, and waits. The input ends with
 * the process that writes to it. Then it kills the listed programs, their descendants, their process groups, and the
 * processes with their marks. It uses only commands that are part of the shell, `grep` for the marks, and `ps` on
 * systems without /proc.
 */
const script = `
trap '' HUP INT TERM
programs=' '
for program; do programs="$programs$program "; done
spares=
while read -r change program; do
  case $change in
    add) programs="$programs$program " ;;
    remove) programs="\${programs%% $program *} \${programs#* $program }" ;;
    spare-daemons) spares=1 ;;
  esac
done
[ "$programs" = ' ' ] && exit
tree=' '
marks=
for program in $programs; do
  tree="$tree\${program%%=*} "
  [ -z "$spares" ] && [ "\${program#*=}" ] && marks="$marks -e ${markName}=\${program#*=}"
done
marked() {
  [ "$marks" ] || return
  grep -lsF $marks /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
table() {
  if [ ! -r /proc/self/status ]; then ps -A -o pid=,ppid=; return; fi
  for status in /proc/[0-9]*/status; do
    while read -r key value; do
      [ "$key" = PPid: ] || continue
      pid=\${status#/proc/}
      echo "\${pid%/status} $value"
      break
    done <"$status"
  done
}
end() {
  for pid; do
    kill -s KILL -- "-$pid"
    kill -s KILL "$pid"
  done
}
{
  set -- $(marked)
  tree="$tree$* "
  all=$(table)
  grown=1
  while [ "$grown" ]; do
    grown=
    set -- $all
    while [ $# -gt 1 ]; do
      case $tree in
        *" $1 "*) ;;
        *" $2 "*) tree="$tree$1 "; grown=1 ;;
      esac
      shift 2
    done
  done
  end $tree
  for round in 1 2 3 4 5 6 7 8 9; do
    started=$(marked)
    [ "$started" ] || break
    end $started
  done
} 2>/dev/null
`;

/** The programs that run, as the script lists them. */
const watched = new Set<string>();
let watchdog: ChildProcessByStdio<Writable, null, null> | undefined;

/** How long a watchdog may take to exit. */
const exitMs = 1000;
/** How often a watchdog that was killed is started again while there are programs. */
const maxRestarts = 5;
let restarts = 0;

/**
 * Kills a program, its descendants, their process groups and the processes with its mark when this process ends without
 * running any code, by SIGKILL or a crash. All programs share one small shell process that waits for input. It exits
 * with the last program, and is started again if something kills it. Does nothing on Windows.
 *
 * @returns A function that ends this. It resolves when nothing of it runs.
 */
export function watch({ pid, mark = '' }: Program): () => Promise<void> {
  if (process.platform === 'win32') return () => Promise.resolve();
  const program = `${pid}=${mark}`;
  watched.add(program);
  if (watchdog) watchdog.stdin.write(`add ${program}\n`);
  else watchdog = start();
  return async () => {
    if (!watched.delete(program) || !watchdog) return;
    const child = watchdog;
    child.stdin.write(`remove ${program}\n`);
    if (watched.size > 0) return;
    watchdog = undefined;
    restarts = 0;
    child.stdin.end();
    if (child.exitCode === null) await settlesWithin(once(child, 'exit'), exitMs);
  };
}

/** For a process that is about to exit in order: marks are not looked for any more. */
export function spareDaemons(): void {
  // A pipe takes a short text at once, also in the last moment of a process.
  watchdog?.stdin.write('spare-daemons\n');
}

/** Starts the watchdog, or returns `undefined` if the system cannot. */
function start(): typeof watchdog {
  // As arguments, because this process can be killed before it has written anything.
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...watched], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session, so that the signals of a terminal do not end it.
    detached: true,
    cwd: '/',
    env: { PATH: '/bin:/usr/bin' },
  });
  child.on('error', () => {});
  child.on('exit', () => {
    if (watchdog !== child) return;
    // Without programs, it would have been forgotten before.
    watchdog = restarts++ < maxRestarts ? start() : undefined;
  });
  // Without a process id there are no streams, or streams that fail.
  if (child.pid === undefined) return undefined;
  // In Node, the pipe of a child process is a socket, although its type is Writable. In Bun, it does not hold the
  // process.
  const input: Writable & Partial<Pick<Socket, 'unref'>> = child.stdin;
  input.on('error', () => {});
  // It must not keep this process running.
  child.unref();
  input.unref?.();
  return child;
}
