import { IdleTimer } from '../../base/wait.ts';
import type { Output } from './print.ts';

/** After this time without a message from the agent in a turn, in milliseconds, the note is printed. */
const silenceMs = 10_000;

/**
 * Says on stderr, once in a turn, that the agent is silent. A pipe shows no activity, so a program that waits for the
 * network looks as if it had ended.
 *
 * @param isExpected - Whether the agent has a reason to say nothing, such as a tool that runs. Then it is not said.
 */
export function silenceNote(output: Pick<Output, 'note' | 'status'>, isExpected: () => boolean): IdleTimer {
  let isSaid = false;
  return new IdleTimer(silenceMs, () => {
    if (isSaid || isExpected()) return;
    isSaid = true;
    output.status('');
    output.note(
      'The agent has sent nothing for 10 s. It can wait for its model, for the network or for a login. Ctrl-C cancels the turn, and --timeout limits the wait.\n',
    );
  });
}
