import type { JsonObject } from '../../core/base/json.ts';
import { delay } from '../../core/base/wait.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { OpenSession } from './open-session.ts';
import { agent, type Content, chunk, document, edit, plan, reported, run, thought } from './updates.ts';

/** What a script works with. */
export interface Turn {
  readonly session: OpenSession;
  readonly prompt: string;
  /** Aborted when the client cancels the turn. */
  readonly signal: AbortSignal;
}

/** One part of a turn. What it throws fails the turn. */
export type Act = (turn: Turn) => unknown;

interface Script {
  /** Words in a prompt that choose the script. */
  readonly words: readonly string[];
  /** For the help text. */
  readonly effect: string;
  /** Runs before the turn. What it throws refuses the prompt. */
  readonly before?: Act;
  readonly acts?: readonly Act[];
}

const say =
  (...content: readonly Content[]): Act =>
  ({ session }) =>
    session.show(agent(...content));

const tasks = ['Read the prompt', 'Do what little I can', 'Say how it went'];
const makePlan: Act = ({ session }) => {
  for (let done = 0; done <= tasks.length; done++) session.show(plan(tasks, done));
};

function fileIn(cwd: string, name: string): string {
  const separator = cwd.startsWith('/') ? '/' : '\\';
  return `${cwd}${cwd.endsWith(separator) ? '' : separator}${name}`;
}

const markdownPlan = `# Move the plants

The **ferns** are too close to the window.

1. Read \`NOTES.md\`
2. Move each plant, the largest one first
3. Water them:

\`\`\`sh
water --plants ferns --litres 2
\`\`\`
`;

const writeDocument: Act = async ({ session, signal }) => {
  session.show(document(fileIn(session.data.cwd, 'PLAN.md'), markdownPlan));
  const leaving = { name: 'exit_plan_mode', title: 'Carry out the plan', kind: 'switch_mode', rawInput: {} };
  const call = { ...leaving, ...reported(markdownPlan) };
  const isApproved = await session.permit(call, 'Carry out this plan?', signal);
  session.show(agent(isApproved ? 'The plan is approved. ' : 'The plan stays a plan. '));
};

const addNote: Act = async ({ session, prompt, signal }) => {
  const before = '# Notes\n\n- Water the plants.\n- Feed the cat.\n';
  const after = before.replace('- Feed', `- ${titleOf(prompt).replaceAll('$', '$$$$')}\n- Feed`);
  const call = edit(fileIn(session.data.cwd, 'NOTES.md'), 4, before, after);
  const isMade = await session.permit(call, 'Change NOTES.md?', signal);
  const made = 'Thank you. The note stands between the plants and the cat.';
  session.show(agent(isMade ? made : 'As you wish: the notes stay as they are.'));
};

const testOutput = `> almanac@1.0.0 test

✓ reads a date (2 ms)
✓ reads a leap day (1 ms)
2 passed
`;

/** The name and the input of a tool in a prompt, such as `Use the tool open_file {"path": "/notes.txt"}`. */
const toolInPrompt = /\btool\s+([\w.-]+)\s*(\{.*\})?/is;

const useTool: Act = async ({ session, prompt, signal }) => {
  const [, name, input = '{}'] = toolInPrompt.exec(prompt) ?? [];
  if (name === undefined) return session.show(agent('Name the tool after the word "tool".'));
  const text = await session.callTool(name, JSON.parse(input), signal);
  return session.show(agent(`The tool says: “${text}”`));
};

/** Answers what the user has written during the turn. Returns the numbers of the answers. */
export function answerSteered({ session }: Turn): readonly number[] {
  const texts = session.steered.splice(0);
  return texts.map((text) => session.show(agent(`You wrote, while I was at work: “${text}”. `)));
}

const count: Act = async (turn) => {
  const { session, signal } = turn;
  let message = session.show(agent(''));
  for (let sheep = 1; sheep <= 500; sheep++) {
    message = answerSteered(turn).at(-1) ?? message;
    session.add(chunk('agent_message', message, `${sheep} 🐑 `));
    await delay(20, signal);
    signal.throwIfAborted();
  }
};

const fail: Act = () => {
  throw new Error('The prompt has the word "fail" in it, so this turn failed');
};

/** A PNG image of a teapot. */
const teapot: JsonObject = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAKCAMAAACKYC6uAAAABlBMVEX4+forij7ETCI/AAAAtUlEQVR4AQGqAFX/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEBAAAAAAAAAAAAAAAAAAEBAQEBAQAAAAAAAAEAAAABAQEBAQEBAQABAQAAAQEAAQEBAQEBAQEBAQEBAQAAAQAAAQEBAQEBAQEBAQEBAAABAAAAAQEBAQEBAQEBAQEAAQAAAAAAAQEBAQEBAQEBAQEAAAAAAAAAAQEBAQEBAQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAXkwBNI+/wSQAAAABJRU5ErkJggg==',
};

// The third line contains U+2028, which does not end a line in JSON.
const greetings = `Good morning in a few scripts:
- Καλημέρα
- 早上好\u2028
- صباح الخير
- בוקר טוב
- 👩‍🍳👨‍👩‍👧 (two graphemes, eight code points)`;

/** The scripts, in the order in which they take effect. */
export const keywords: readonly Script[] = [
  {
    words: ['error'],
    effect: 'refuses the prompt with an error',
    before: () => {
      throw new RequestError(-32603, 'The prompt has the word "error" in it, so here is one');
    },
  },
  {
    words: ['hang'],
    effect: 'never answers, not even to a cancel, until its input ends',
    before: ({ session }) => session.closed.promise,
  },
  { words: ['plan'], effect: 'shows a plan and completes it', acts: [makePlan] },
  {
    words: ['document'],
    effect:
      'shows a plan that is a Markdown document in a file, and asks for its approval (no file is touched)',
    acts: [writeDocument],
  },
  {
    words: ['edit', 'permission'],
    effect: 'asks for permission, then shows a changed file (no file is touched)',
    acts: [addNote],
  },
  {
    words: ['run'],
    effect: 'shows a command and its output (no command is run)',
    acts: [({ session }) => session.show(run('npm test', session.data.cwd, testOutput))],
  },
  {
    words: ['tool'],
    effect:
      'calls the tool that the prompt names, as in `tool open_file {"path": "/a.ts"}`, of the first MCP server over HTTP',
    acts: [useTool],
  },
  { words: ['image'], effect: 'sends a picture', acts: [say('Here is a pot of tea:', teapot)] },
  { words: ['unicode'], effect: 'answers in several scripts', acts: [say(greetings)] },
  {
    words: ['slow', 'slowly'],
    effect: 'counts sheep for ten seconds, until it is cancelled; answers what is steered into the turn',
    acts: [count],
  },
  {
    words: ['fail'],
    effect: 'begins an answer, then fails',
    acts: [say('This was going so well, and then'), fail],
  },
  {
    words: ['crash'],
    effect: 'stops in the middle of a line, with exit code 1',
    acts: [
      say('Before I say anything else, I should'),
      ({ session }) => session.crash('The prompt has the word "crash" in it.'),
    ],
  },
];

/** The reply to a prompt. It depends on nothing else. */
export function replyTo(prompt: string): Pick<Script, 'before'> & { readonly acts: readonly Act[] } {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g));
  const chosen = keywords.filter((script) => script.words.some((word) => words.has(word)));
  const before = chosen.find((script) => script.before)?.before;
  const names = chosen.map((script) => script.words[0]).join(', ');
  const considered = names
    ? `The prompt has these keywords: ${names}.`
    : 'The prompt has no keyword, so I repeat it.';
  const answer = `You wrote: “${prompt}”. I am a demo: no model, no network, only a script that always says the same.`;
  const consider: Act = ({ session }) => session.show(thought(considered));
  const acts = [consider, ...chosen.flatMap((script) => script.acts ?? []), say(answer)];
  return { ...(before && { before }), acts };
}

/** A title for a session that starts with this prompt: its first line, shortened. */
export function titleOf(prompt: string): string {
  const [firstLine = ''] = prompt.trim().split(/[\n\u2028]/);
  const characters = [...firstLine];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : firstLine || 'Untitled';
}
