import type { JsonObject } from '../../base/json.ts';
import { delay } from '../../base/wait.ts';
import { agent, type Content, type FileEdit, type PlanApproval, type Step, thought } from './session.ts';

/** What the agent can do in a turn. */
export interface Stage {
  readonly cwd: string;
  readonly prompt: string;
  /** Aborted when the client cancels the turn. */
  readonly signal: AbortSignal;
  /** Adds a step to the history, and shows it. */
  show(step: Step): unknown;
  /** Adds text to the message that was shown last. */
  append(text: string): void;
  /** The messages that the user has steered into the turn, and that were not taken yet. */
  takeSteered(): readonly string[];
  /** Shows a call, asks for permission if the mode requires it, and resolves to whether the call was made. */
  permit(call: FileEdit | PlanApproval, title: string): Promise<boolean>;
  /** Calls a tool of the first MCP server over HTTP, and shows the call. Resolves to what it returned. */
  callTool(name: string, input: JsonObject): Promise<string>;
  /** Ends the program in the middle of a line. Never resolves. */
  crash(reason: string): Promise<void>;
}

/** One part of a turn. What it throws fails the turn. */
export type Act = (stage: Stage) => unknown;

/** The reply to a prompt: a turn, or an error. */
export type Reply =
  | { readonly acts: readonly Act[] }
  | { readonly error: string }
  /** Does not answer until the session is closed. */
  | { readonly hangs: true };

type Keyword = Reply & {
  readonly words: readonly string[];
  /** For the help text. */
  readonly effect: string;
};

const say =
  (...content: Content[]): Act =>
  ({ show }) =>
    show(agent(...content));

const plan: Act = ({ show }) => {
  const tasks = ['Read the prompt', 'Do what little I can', 'Say how it went'];
  for (let done = 0; done <= tasks.length; done++) show({ type: 'plan', tasks, done });
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

const document: Act = async ({ cwd, permit, show }) => {
  show({ type: 'document', path: fileIn(cwd, 'PLAN.md'), markdown: markdownPlan });
  const isApproved = await permit({ type: 'approve', text: markdownPlan }, 'Carry out this plan?');
  show(agent(isApproved ? 'The plan is approved. ' : 'The plan stays a plan. '));
};

const edit: Act = async ({ cwd, prompt, permit, show }) => {
  const change: FileEdit = {
    type: 'edit',
    path: fileIn(cwd, 'NOTES.md'),
    line: 4,
    oldText: '# Notes\n\n- Water the plants.\n- Feed the cat.\n',
    newText: `# Notes\n\n- Water the plants.\n- ${titleOf(prompt)}\n- Feed the cat.\n`,
  };
  const isMade = await permit(change, 'Change NOTES.md?');
  const text = isMade
    ? 'Thank you. The note stands between the plants and the cat.'
    : 'As you wish: the notes stay as they are.';
  show(agent(text));
};

const run: Act = ({ cwd, show }) => {
  const output = `> almanac@1.0.0 test

✓ reads a date (2 ms)
✓ reads a leap day (1 ms)
2 passed
`;
  show({ type: 'run', command: 'npm test', cwd, output, exitCode: 0 });
};

/** The name and the input of a tool in a prompt, such as `Use the tool open_file {"path": "/notes.txt"}`. */
const toolInPrompt = /\btool\s+([\w.-]+)\s*(\{.*\})?/is;

const useTool: Act = async ({ prompt, callTool, show }) => {
  const [, name, input = '{}'] = toolInPrompt.exec(prompt) ?? [];
  if (name === undefined) return show(agent('Name the tool after the word "tool".'));
  const text = await callTool(name, JSON.parse(input));
  return show(agent(`The tool says: “${text}”`));
};

/** Answers what the user has written during the turn. */
export const answerSteered: Act = ({ takeSteered, show }) => {
  for (const text of takeSteered()) {
    show(agent(`You wrote, while I was at work: “${text}”. `));
  }
};

const count: Act = async (stage) => {
  const { show, append, signal } = stage;
  show(agent(''));
  for (let sheep = 1; sheep <= 500; sheep++) {
    answerSteered(stage);
    append(`${sheep} 🐑 `);
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

/** The words that choose the reply, in the order in which they take effect. */
export const keywords: readonly Keyword[] = [
  {
    words: ['error'],
    effect: 'refuses the prompt with an error',
    error: 'The prompt has the word "error" in it, so here is one',
  },
  { words: ['hang'], effect: 'never answers, not even to a cancel', hangs: true },
  { words: ['plan'], effect: 'shows a plan and completes it', acts: [plan] },
  {
    words: ['document'],
    effect:
      'shows a plan that is a Markdown document in a file, and asks for its approval (no file is touched)',
    acts: [document],
  },
  {
    words: ['edit', 'permission'],
    effect: 'asks for permission, then shows a changed file (no file is touched)',
    acts: [edit],
  },
  { words: ['run'], effect: 'shows a command and its output (no command is run)', acts: [run] },
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
      ({ crash }) => crash('The prompt has the word "crash" in it.'),
    ],
  },
];

/** Commands that the agent offers. The name of each is a keyword. */
export const commands = [
  { name: 'plan', description: 'Show a plan and complete it.', hint: 'what to plan' },
  { name: 'edit', description: 'Ask for permission, then show a changed file.', hint: 'what to change' },
  { name: 'run', description: 'Show a command and its output.', hint: 'what to run' },
  { name: 'image', description: 'Send a picture.', hint: null },
  { name: 'unicode', description: 'Answer in several scripts.', hint: null },
] as const;

/** The reply to a prompt. It depends on nothing else. */
export function replyTo(prompt: string): Reply {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g));
  const chosen = keywords.filter((keyword) => keyword.words.some((word) => words.has(word)));
  const other = chosen.find((keyword) => !('acts' in keyword));
  if (other) return other;
  const names = chosen.map((keyword) => keyword.words[0]).join(', ');
  const considered = names
    ? `The prompt has these keywords: ${names}.`
    : 'The prompt has no keyword, so I repeat it.';
  const answer = `You wrote: “${prompt}”. I am a demo: no model, no network, only a script that always says the same.`;
  return {
    acts: [
      ({ show }) => show(thought(considered)),
      ...chosen.flatMap((keyword) => ('acts' in keyword ? keyword.acts : [])),
      say(answer),
    ],
  };
}

/** A title for a session that starts with this prompt: its first line, shortened. */
export function titleOf(prompt: string): string {
  const [firstLine = ''] = prompt.trim().split(/[\n\u2028]/);
  const characters = [...firstLine];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : firstLine || 'Untitled';
}
