import { IdleTimer } from '../../core/base/wait.ts';
import { columnsOf } from '../../core/render/columns.ts';
import type { Output } from './print.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const intervalMs = 200;

/** How long something may take before it is worth a line, in milliseconds. */
const patienceMs = 1000;

/**
 * Shows on the status line that something goes on, and for how long. Returns the function that ends that.
 *
 * @param describe - What goes on; `undefined` while the line cannot be shown.
 */
export function showActivity(
  output: Pick<Output, 'status' | 'noteWidth'>,
  describe: () => string | undefined,
): () => void {
  const startedAt = performance.now();
  let count = 0;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    const what = elapsedMs < patienceMs ? undefined : describe();
    if (what === undefined) return;
    const time = ` · ${Math.floor(elapsedMs / 1000)} s`;
    const columns = (output.noteWidth ?? 80) - time.length - 3;
    output.status(`${frames[count++ % frames.length]} ${fitted(what, columns)}${time}`);
  }, intervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    output.status('');
  };
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
