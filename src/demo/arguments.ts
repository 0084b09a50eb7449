import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { DialectName } from './dialect.ts';
import { dialectNames, isDialectName } from './dialect.ts';
import { keywords } from './script.ts';

export type Arguments =
  | { readonly command: 'help' }
  | { readonly command: 'none'; readonly problem: string }
  | { readonly command: 'serve'; readonly sessionsFolder: string; readonly dialect: DialectName | undefined };

export function parseArguments(argv: readonly string[]): Arguments {
  let values: ReturnType<typeof parseOptions>;
  try {
    values = parseOptions(argv);
  } catch (error) {
    return { command: 'none', problem: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return { command: 'help' };
  const { sessions = defaultSessionsFolder(), dialect } = values;
  if (dialect !== undefined && !isDialectName(dialect)) {
    return {
      command: 'none',
      problem: `There is no dialect '${dialect}': choose one of ${dialectNames.join(', ')}`,
    };
  }
  return { command: 'serve', sessionsFolder: resolve(sessions), dialect };
}

function parseOptions(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sessions: { type: 'string' },
      dialect: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  return values;
}

/** One for each user, for the folder of temporary files may be everybody's. */
function defaultSessionsFolder(): string {
  return join(tmpdir(), `acp-demo-agent-sessions-${process.getuid?.() ?? 'user'}`);
}

export function helpText(): string {
  const words = keywords.map(({ words, does }) => `  ${words.join(', ').padEnd(18)}${does}`);
  return `A demo agent: it speaks the Agent Client Protocol on stdin and stdout, one JSON message a line.
It has no model and needs no network. The same prompt always gets the same answer.

Options
  --sessions DIR    keep the sessions there (default: ${defaultSessionsFolder()});
                    the first time, example sessions are put there
  --dialect NAME    ${dialectNames.join(', ')} (default: the version that the client asks for)
  -h, --help        print this

Words in a prompt that steer the answer
${words.join('\n')}
`;
}
