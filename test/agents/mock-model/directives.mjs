/**
 * The directives in the text of a prompt. They control what the mock model does:
 *
 *     [[text]]           an answer in several scripts, streamed
 *     [[think]]          thoughts, then the same answer
 *     [[slow]]           an answer that takes half a minute, to be cancelled
 *     [[steady]]         an answer that takes five seconds, to be steered
 *     [[write PATH]]     a call of the agent's tool that writes files, then a short answer
 *     [[read PATH]]      a call of the agent's tool that reads files, then a short answer
 *     [[shell COMMAND]]  a call of the agent's tool that runs commands, then a short answer
 *     [[run COMMAND]]    the same, inside the sandbox of the agent, if it has one
 *     [[plan]]           a call of the agent's tool that keeps a plan, then a short answer
 *     [[tool NAME]]      a call of the tool whose name ends with NAME, then an answer that repeats its result
 *     [[task PATH]]      a call of the agent's tool that starts a subagent, which reads a file; then a short answer
 *     [[error]]          the HTTP error 400
 */
const directive = /\[\[(text|think|slow|steady|write|read|shell|run|plan|tool|task|error)(?: ([^\]]+))?\]\]/g;

/** The answer to `[[text]]`: several scripts, an emoji of many code points, both line separators. */
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

/** The thoughts before that answer. */
export const thoughtChunks = ['The user', ' wants', ' to be greeted.'];
export const thoughtText = thoughtChunks.join('');

/** The text that the model writes into a file. */
export const fileContent = 'written by the mock model\n';

/** The text before a tool call. */
export const prefaceText = 'I shall use a tool.';

/** The message of the HTTP error 400. */
export const errorText = 'mock error';

/** The text after a tool call. */
export const afterToolText = 'The tool has answered.';

/** The text after the work of a subagent. Its own last text is the one after a tool call. */
export const afterTaskText = 'The subagent has worked.';

const steadyChunks = Array.from({ length: 25 }, (_, index) => `slow ${index + 1}. `);
const slowChunks = Array.from({ length: 150 }, (_, index) => `slow ${index + 1}. `);
const sideAnswer = ['A short', ' title'];
const withTool = new Set(['write', 'read', 'shell', 'run', 'plan', 'tool', 'task']);

/** What the model says after a call, where it is more than that. */
const closingWords = {
  tool: (results) => [afterToolText, ` ${results.join(' ')}`],
  task: () => [afterTaskText],
};

/** The tools with which a model finds the tools that are not in its list. */
export const searchNames = new Set(['ToolSearch', 'tool_search', 'search_tool']);

/** The last directive in a text; `undefined` if there is none. */
function directiveIn(text) {
  const found = [...text.matchAll(directive)].at(-1);
  return found && { kind: found[1], argument: found[2] ?? '' };
}

/**
 * Decides what the model does, from the conversation that the agent sends with each request.
 *
 * @param turns - `{ role: 'user' | 'assistant' | 'call' | 'tool', text }`, in order. A `call` is the name of a tool that
 *   the model called; an API without them has no search for tools.
 * @param hasTools - A request without tools is for a title or a summary.
 * @returns `{ do: 'text', thoughts, chunks, delayMs }`, `{ do: 'tool', kind, argument, found }` or `{ do: 'error' }`. `found`
 *   is what the model has read since it began, `undefined` before it has searched for the tool. A search can leave out
 *   what an earlier one found.
 */
export function decide(turns, hasTools) {
  let asked;
  let results = [];
  let searches = 0;
  const read = [];
  for (const { role, text } of turns) {
    const found = role === 'user' ? directiveIn(text) : undefined;
    if (found) {
      asked = found;
      results = [];
      searches = 0;
    }
    if (role === 'tool') {
      results.push(text);
      read.push(text);
    }
    if (role === 'call' && searchNames.has(text)) searches++;
  }
  const say = (chunks, { thoughts = [], delayMs = 10 } = {}) => ({ do: 'text', thoughts, chunks, delayMs });
  if (!asked || !hasTools) return say(sideAnswer);
  if (withTool.has(asked.kind)) {
    if (results.length <= searches)
      return { do: 'tool', ...asked, found: searches > 0 ? read.join('\n') : undefined };
    return say(closingWords[asked.kind]?.(results) ?? [afterToolText]);
  }
  const others = {
    text: () => say(answerChunks),
    think: () => say(answerChunks, { thoughts: thoughtChunks }),
    slow: () => say(slowChunks, { delayMs: 200 }),
    steady: () => say(steadyChunks, { delayMs: 200 }),
    error: () => ({ do: 'error' }),
  };
  return others[asked.kind]();
}
