import { IdleTimer } from '../../core/base/wait.ts';
import { columnsOf } from '../../core/render/columns.ts';
import type { Interrupts } from './context.ts';
import type { Output } from './print.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const intervalMs = 200;

/** How long nothing may be written before it is worth a line, in milliseconds. */
const patienceMs = 1000;

interface Surroundings {
  readonly output: Pick<Output, 'status' | 'noteWidth' | 'writtenAt'>;
  readonly interrupts: Pick<Interrupts, 'effect'>;
}

/**
 * Shows on the status line what goes on, for how long, and how to stop it, until a promise settles.
 *
 * @param describe - What goes on; `undefined` while the line cannot be shown.
 */
export function showWhile<T>(
  { output, interrupts }: Surroundings,
  describe: () => string | undefined,
  promise: Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let count = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const isQuiet = now - Math.max(startedAt, output.writtenAt) >= patienceMs;
    const what = isQuiet ? describe() : undefined;
    if (what === undefined) return;
    const end = ` · Ctrl-C ${interrupts.effect} · ${Math.floor((now - startedAt) / 1000)} s`;
    const columns = (output.noteWidth ?? 80) - end.length - 3;
    output.status(`${frames[count++ % frames.length]} ${fitted(what, columns)}${end}`);
  }, intervalMs);
  timer.unref();
  return promise.finally(() => {
    clearInterval(timer);
    output.status('');
  });
}

/** The beginning of a text that is too long for its columns. What is behind it is not looked at. */
function fitted(text: string, columns: number): string {
  let width = 0;
  let at = 0;
  let end = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) return `${text.slice(0, end).trimEnd()}…`;
    at += character.length;
    if (width < columns) end = at;
  }
  return text;
}

/** After this time without a message from the agent in a turn, in milliseconds, the note is printed. */
const silenceMs = 10_000;

/**
 * Says on stderr, once in a turn, that the agent is silent. A pipe shows no activity, so a program that waits for the
 * network looks as if it had ended.
 *
 * @param isExpected - Whether the agent has a reason to say nothing, such as a tool that runs. Then it is not said.
 */
export function silenceNote(output: Pick<Output, 'note'>, isExpected: () => boolean): IdleTimer {
  let isSaid = false;
  return new IdleTimer(silenceMs, () => {
    if (isSaid || isExpected()) return;
    isSaid = true;
    output.note(
      'The agent has sent nothing for 10 s. It can wait for its model, for the network or for a login. Ctrl-C cancels the turn, and --timeout limits the wait.\n',
    );
  });
}
