import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { settlesWithin } from '../wait.ts';

/**
 * Reads changes of a list of process ids from its input, and waits. The input ends with the process that writes to it.
 * Then it kills the listed processes, their descendants and their process groups. It uses only commands that are part
 * of the shell, and `ps` on systems without /proc.
 */
const script = `
trap '' HUP INT TERM
tree=' '
while read -r change pid; do
  case $change in
    add) tree="$tree$pid " ;;
    remove) tree="\${tree%% $pid *} \${tree#* $pid }" ;;
  esac
done
[ "$tree" = ' ' ] && exit
table() {
  if [ ! -r /proc/self/stat ]; then ps -A -o pid=,ppid=; return; fi
  for stat in /proc/[0-9]*/stat; do
    { read -r fields <"$stat"; } 2>/dev/null || continue
    pid=\${stat#/proc/}
    set -- \${fields##*) }
    echo "\${pid%/stat} $2"
  done
}
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
for pid in $tree; do
  kill -s KILL -- "-$pid"
  kill -s KILL "$pid"
done 2>/dev/null
`;

interface Watchdog {
  readonly child: ChildProcess;
  readonly input: Writable;
}

const watchedPids = new Set<number>();
let watchdog: Watchdog | undefined;

/** How long a watchdog may take to exit. */
const exitMs = 1000;

/**
 * Kills a program, its descendants and their process groups when this process ends without running any code, by SIGKILL
 * or a crash. All programs share one small shell process that waits for input. It exits with the last program. Does
 * nothing on Windows.
 *
 * @returns A function that ends this. It resolves when nothing of it runs.
 */
export function watch(pid: number): () => Promise<void> {
  if (process.platform === 'win32') return () => Promise.resolve();
  watchedPids.add(pid);
  if (watchdog) watchdog.input.write(`add ${pid}\n`);
  else watchdog = start();
  return async () => {
    if (!watchedPids.delete(pid) || !watchdog) return;
    const { child, input } = watchdog;
    input.write(`remove ${pid}\n`);
    if (watchedPids.size > 0) return;
    watchdog = undefined;
    input.end();
    if (child.exitCode === null) await settlesWithin(once(child, 'exit'), exitMs);
  };
}

/** Starts the watchdog, or returns `undefined` if the system cannot. */
function start(): Watchdog | undefined {
  const child = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session, so that the signals of a terminal do not end it.
    detached: true,
    cwd: '/',
    env: { PATH: '/bin:/usr/bin' },
  });
  child.on('error', () => {});
  child.on('exit', () => {
    if (watchdog?.child === child) watchdog = undefined;
  });
  // Without a process id there are no streams, or streams that fail.
  if (child.pid === undefined || !child.stdin) return undefined;
  // In Node, the pipe of a child process is a socket, although its type is Writable. In Bun, it does not hold the process.
  const input: Writable & Partial<Pick<Socket, 'unref'>> = child.stdin;
  input.on('error', () => {});
  // It must not keep this process running.
  child.unref();
  input.unref?.();
  for (const pid of watchedPids) input.write(`add ${pid}\n`);
  return { child, input };
}
