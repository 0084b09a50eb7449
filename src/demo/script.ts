import { teapot } from './drawings.ts';
import type { Block } from './history.ts';
import { text } from './history.ts';
import { picture } from './picture.ts';

/** Something that the agent does in a turn. */
export type Act =
  | { readonly act: 'think'; readonly text: string }
  | { readonly act: 'say'; readonly content: readonly Block[] }
  | { readonly act: 'plan'; readonly tasks: readonly string[] }
  | {
      readonly act: 'edit';
      readonly fileName: string;
      readonly oldText: string;
      readonly newText: string;
      /** What to say when the user said yes. */
      readonly allowed: string;
      readonly refused: string;
    }
  | { readonly act: 'run'; readonly command: string; readonly output: readonly string[] }
  | { readonly act: 'count'; readonly to: number; readonly intervalMs: number }
  | { readonly act: 'fail'; readonly message: string }
  | { readonly act: 'crash' };

/** What becomes of a prompt. */
export type Script =
  | { readonly ending: 'answer'; readonly acts: readonly Act[] }
  | { readonly ending: 'error'; readonly message: string }
  | { readonly ending: 'silence' };

interface Keyword {
  readonly words: readonly string[];
  /** For the help. */
  readonly does: string;
  readonly script: (prompt: string) => Script | readonly Act[];
}

/** The words that steer the answer, in the order in which they take effect. */
export const keywords: readonly Keyword[] = [
  {
    words: ['error'],
    does: 'refuses the prompt with an error',
    script: () => ({ ending: 'error', message: 'The prompt has the word "error" in it, so here is one' }),
  },
  {
    words: ['hang'],
    does: 'never answers, not even to a cancel',
    script: () => ({ ending: 'silence' }),
  },
  {
    words: ['plan'],
    does: 'shows a plan and works through it',
    script: () => [{ act: 'plan', tasks: ['Read the prompt', 'Do what little I can', 'Say how it went'] }],
  },
  {
    words: ['permission', 'edit'],
    does: 'asks for permission, then shows a changed file (no file is touched)',
    script: (prompt) => [
      {
        act: 'edit',
        fileName: 'NOTES.md',
        oldText: '# Notes\n\n- Water the plants.\n- Feed the cat.\n',
        newText: `# Notes\n\n- Water the plants.\n- ${titleOf(prompt)}\n- Feed the cat.\n`,
        allowed: 'Thank you. The note stands between the plants and the cat.',
        refused: 'As you wish: the notes stay as they are.',
      },
    ],
  },
  {
    words: ['run'],
    does: 'runs a command and shows its output (nothing is run)',
    script: () => [
      {
        act: 'run',
        command: 'npm test',
        output: [
          '> almanac@1.0.0 test\n',
          '\n',
          '✓ reads a date (2 ms)\n',
          '✓ reads a leap day (1 ms)\n',
          '2 passed\n',
        ],
      },
    ],
  },
  {
    words: ['image'],
    does: 'draws a picture',
    script: () => [{ act: 'say', content: [text('Here is a pot of tea:'), picture(teapot)] }],
  },
  {
    words: ['unicode'],
    does: 'answers in several scripts',
    script: () => [{ act: 'say', content: [text(greetings)] }],
  },
  {
    words: ['slow'],
    does: 'counts sheep for ten seconds, unless it is cancelled',
    script: () => [{ act: 'count', to: 500, intervalMs: 20 }],
  },
  {
    words: ['fail'],
    does: 'begins an answer, and then fails',
    script: () => [{ act: 'fail', message: 'The prompt has the word "fail" in it, so this turn failed' }],
  },
  {
    words: ['crash'],
    does: 'stops in the middle of a line, with exit code 1',
    script: () => [{ act: 'crash' }],
  },
];

// The third line ends in U+2028, which is no end of a line in JSON.
const greetings = [
  'Good morning in a few scripts:',
  '- Καλημέρα',
  '- 早上好\u2028',
  '- صباح الخير',
  '- בוקר טוב',
  '- 👩‍🍳👨‍👩‍👧 (two graphemes, eight code points)',
].join('\n');

/** The same prompt always gets the same answer. */
export function scriptFor(prompt: string): Script {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g));
  const chosen = keywords.filter((keyword) => keyword.words.some((word) => words.has(word)));
  const acts: Act[] = [{ act: 'think', text: thoughtAbout(chosen.flatMap((keyword) => keyword.words)) }];
  for (const keyword of chosen) {
    const script = keyword.script(prompt);
    if ('ending' in script) return script;
    acts.push(...script);
  }
  return { ending: 'answer', acts: [...acts, { act: 'say', content: [text(answerTo(prompt))] }] };
}

/** A title for a session that starts with this prompt: its first line, shortened. */
export function titleOf(prompt: string): string {
  const [firstLine = ''] = prompt.trim().split(/[\n\u2028]/);
  const characters = [...firstLine];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : firstLine || 'Untitled';
}

function thoughtAbout(words: readonly string[]): string {
  if (words.length === 0) return 'No keyword of mine is in this prompt, so I shall say it back.';
  return `The prompt speaks of ${words.join(', ')}. That I can do, or at least play.`;
}

function answerTo(prompt: string): string {
  return `You wrote: “${prompt}”. I am a demo: no model, no network, only a script that always says the same.`;
}
