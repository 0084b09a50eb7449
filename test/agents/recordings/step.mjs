/**
 * The recording of a step, as the text of a file: the messages that open its run, and those of the step. It can be read
 * alone.
 *
 * @param messages - The messages of the run of the agent.
 * @param opening - How many of them open the run.
 * @param from - How many were there before the step.
 */
export function recordingOf(messages, { opening = 0, from = 0 } = {}) {
  return [...messages.slice(0, opening), ...messages.slice(from)]
    .map(({ direction, t, message }) => `${JSON.stringify({ dir: direction, t, msg: message })}\n`)
    .join('');
}
