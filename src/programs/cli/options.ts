import packageJson from '../../../package.json' with { type: 'json' };
import { maxTimerMs } from '../../core/base/wait.ts';
import { turnFormats } from './formats.ts';

export const { version } = packageJson;

/** Which values an option takes. */
interface Rule {
  readonly accepts: (text: string) => boolean;
  /** What a value must be, for the error. */
  readonly must: string;
}

export interface Option extends Partial<Rule> {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** Whether the option can be given more than once. */
  readonly multiple?: true;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

function oneOf(...words: readonly string[]): Rule {
  return { accepts: (text) => words.includes(text), must: `be one of ${words.join(', ')}` };
}

function wholeNumber(least: number, most: number, unit: string): Rule {
  return {
    accepts: (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
    must: `be a whole number${unit} from ${least} to ${most}`,
  };
}

/** How permission requests are answered. */
export const permits = ['ask', 'allow', 'reject'] as const;
export type Permit = (typeof permits)[number];

export const options = {
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'the form of the result, the default first',
    ...oneOf(...turnFormats),
  },
  protocol: {
    type: 'string',
    value: '1|2',
    help: 'offer this version only, instead of both',
    ...oneOf('1', '2'),
  },
  trace: { type: 'string', value: 'FILE', help: 'record each message as one line {dir, t, msg}' },
  timeout: {
    type: 'string',
    value: 'MS',
    help: 'how long to wait for an answer from the agent',
    ...wholeNumber(1, maxTimerMs, ' of milliseconds'),
  },
  agent: { type: 'string', value: 'NAME', help: 'run this agent of the registry' },
  header: {
    type: 'string',
    multiple: true,
    value: "'NAME: VALUE'",
    help: 'send a header to the agent at a URL; no secrets, see --token-env',
    accepts: (text: string) => /^[^\s:]+:/.test(text),
    must: 'be a name, a colon and a value',
  },
  'token-env': {
    type: 'string',
    value: 'NAME',
    help: 'send the token in this environment variable to the agent at a URL',
  },
  'share-files': {
    type: 'boolean',
    help: 'let the agent at a URL read and write the files here, in --cwd',
  },
  web: { type: 'boolean', help: 'serve the inspector: a page that shows what happens, and drives the agent' },
  port: {
    type: 'string',
    value: 'N',
    help: 'the port of the inspector on 127.0.0.1; a free one by default',
    ...wholeNumber(1, 65_535, ''),
  },
  cwd: { type: 'string', value: 'DIR', help: 'the directory of the session' },
  session: { type: 'string', value: 'ID', help: 'the session to use, instead of a new one' },
  set: {
    type: 'string',
    multiple: true,
    value: 'ID=VALUE',
    help: 'change a setting, such as model=small',
    accepts: (text: string) => /^[^=]+=/.test(text),
    must: 'be the id of a setting, = and a value, such as model=small',
  },
  file: { type: 'string', multiple: true, value: 'FILE', help: 'add a file or an image to the prompt' },
  mcp: { type: 'string', multiple: true, value: 'FILE', help: 'use the MCP servers of a configuration' },
  permit: { type: 'string', value: 'HOW', help: 'ask (the default), allow or reject', ...oneOf(...permits) },
  'allow-edits': {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'allow edits of files below this directory; --permit answers the rest',
  },
  summary: { type: 'string', value: 'FILE', help: 'write what happened in the turn as JSON' },
  settle: {
    type: 'string',
    value: 'MS',
    help: 'end after this time without an update (300)',
    ...wholeNumber(0, maxTimerMs, ' of milliseconds'),
  },
  keep: { type: 'boolean', help: 'record the transcript, for the command history' },
  directory: { type: 'string', value: 'DIR', help: 'the directory of the recorded transcripts' },
  help: { type: 'boolean', short: 'h', help: 'print the help' },
  version: { type: 'boolean', short: 'v', help: 'print the version of this program' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;

// `Object.keys` has the type `string[]`.
export const optionNames = Object.keys(options) as readonly OptionName[];
