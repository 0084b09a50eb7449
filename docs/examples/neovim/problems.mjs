import { plainText } from 'acp-client-sdk/conversation';

/** An error for the user: the agent's own text, if the agent sent one. The code and the method are in the log. */
export function problemText(error) {
  if (error.code === 'remote.auth_required')
    return `${sentence(error.agentMessage)} Log in with the agent's own program. Then try again.`;
  // Without the name of the call, such as `connect: `, which says nothing to a user.
  return plainText(error.agentMessage ?? error.message.replace(/^[a-z][A-Za-z]*: /, ''));
}

/**
 * The error of a prompt.
 *
 * @param failure - The entry of the transcript about it, if there is one. What it says is not said twice.
 */
export function turnProblem(error, failure) {
  if (failure?.kind !== 'turnFailure') return problemText(error);
  if (failure.cause === 'failed') return '';
  const { stderrTail = '' } = error.exit ?? {};
  const output = stderrTail && `The end of the agent's stderr:\n\n${indented(stderrTail)}\n\n`;
  return `${output}The prompt is not sent again. Send it once more if it is still needed.`;
}

const sentence = (text) => plainText(text).replace(/(?<![.!?…])$/, '.');
const indented = (text) => plainText(text.trimEnd()).replace(/^/gm, '    ');

/** How a turn ended, if the user should know. */
export function endText(stopReason) {
  return stopReason === 'end_turn' ? '' : `The turn ended: ${plainText(stopReason)}.`;
}
