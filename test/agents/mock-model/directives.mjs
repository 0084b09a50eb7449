/**
 * What a prompt asks the mock model to do, written into the prompt's text:
 *
 *     [[text]]           an answer in several scripts, streamed
 *     [[think]]          thoughts, then the same answer
 *     [[slow]]           an answer that takes half a minute, to be cancelled
 *     [[write PATH]]     a call of the agent's tool that writes files, then a short answer
 *     [[read PATH]]      a call of the agent's tool that reads files, then a short answer
 *     [[shell COMMAND]]  a call of the agent's tool that runs commands, then a short answer
 *     [[plan]]           a call of the agent's tool that keeps a plan, then a short answer
 *     [[error]]          the HTTP error 400
 */
const directive = /\[\[(text|think|slow|write|read|shell|plan|error)(?: ([^\]]+))?\]\]/g;

/** What the model says to `[[text]]`: several scripts, an emoji of many code points, both line separators. */
export const answerChunks = [
  'Hello',
  ' and welcome.',
  ' Héllo, Ωμέγα, Привет,',
  ' שלום, مرحبا,',
  ' नमस्ते, 你好, こんにちは,',
  ' 👩🏽‍🚀 e\u0301.\n',
  'A second line,',
  ' a line\u2028separator, a paragraph\u2029separator.',
];
export const answerText = answerChunks.join('');

/** What the model thinks before it says so. */
export const thoughtChunks = ['The user', ' wants', ' to be greeted.'];
export const thoughtText = thoughtChunks.join('');

/** What the model writes into a file. */
export const fileContent = 'written by the mock model\n';

/** What the model says before it calls a tool. */
export const prefaceText = 'I shall use a tool.';

/** What the model says once a tool has answered, or refused. */
export const afterToolText = 'The tool has answered.';

const slowChunks = Array.from({ length: 150 }, (_, index) => `slow ${index + 1}. `);
const sideAnswer = ['A short', ' title'];
const withTool = new Set(['write', 'read', 'shell', 'plan']);

/** The last directive in a text, or nothing. */
function directiveIn(text) {
  const found = [...text.matchAll(directive)].at(-1);
  return found && { kind: found[1], argument: found[2] ?? '' };
}

/**
 * What the model does now, from the whole conversation that the agent sends with each request.
 *
 * @param turns - `{ role: 'user' | 'assistant' | 'tool', text }`, in order.
 * @param hasTools - A request without tools is one of the agent's own, for a title or a summary.
 * @returns `{ do: 'text', thoughts, chunks, delayMs }`, `{ do: 'tool', kind, argument }` or `{ do: 'error' }`.
 */
export function decide(turns, hasTools) {
  let asked;
  let toolAnswered = false;
  for (const { role, text } of turns) {
    const found = role === 'user' ? directiveIn(text) : undefined;
    if (found) {
      asked = found;
      toolAnswered = false;
    }
    if (role === 'tool') toolAnswered = true;
  }
  const say = (chunks, { thoughts = [], delayMs = 10 } = {}) => ({ do: 'text', thoughts, chunks, delayMs });
  if (!asked || !hasTools) return say(sideAnswer);
  if (withTool.has(asked.kind)) return toolAnswered ? say([afterToolText]) : { do: 'tool', ...asked };
  const others = {
    text: () => say(answerChunks),
    think: () => say(answerChunks, { thoughts: thoughtChunks }),
    slow: () => say(slowChunks, { delayMs: 200 }),
    error: () => ({ do: 'error' }),
  };
  return others[asked.kind]();
}
