import { resolve } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { maxTimerMs } from '../../core/base/wait.ts';

export const { version } = packageJson;

/** The formats of a conversation that is complete. */
export const documentFormats = ['text', 'markdown', 'html', 'json'] as const;

/** The formats of turns. */
export const turnFormats = [...documentFormats, 'jsonl', 'answer'] as const;
export type Format = (typeof turnFormats)[number];

/** How the text of an option becomes its value. */
interface Reader<Value> {
  /** Returns `undefined` for a wrong text. A relative path is below `folder`. */
  readonly read: (text: string, folder: string) => Value | undefined;
  /** What a text must be, for the error. */
  readonly must?: string;
}

/** An option without a reader takes no value. */
export interface Option extends Partial<Reader<unknown>> {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** Whether the option can be given more than once. */
  readonly multiple?: true;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

function takes<Value>(value: string, reader: Reader<Value>, help: string) {
  return { type: 'string', value, help, ...reader } as const;
}

function takesMany<Value>(value: string, reader: Reader<Value>, help: string) {
  return { ...takes(value, reader, help), multiple: true } as const;
}

function takesNone(help: string) {
  return { type: 'boolean', help } as const;
}

const text: Reader<string> = { read: (given) => given };
const path: Reader<string> = { read: (given, folder) => resolve(folder, given) };

function oneOf<Word extends string>(...words: readonly Word[]): Reader<Word> {
  return { read: (given) => words.find((word) => word === given), must: `be one of ${words.join(', ')}` };
}

function wholeNumber(least: number, most: number, unit: string): Reader<number> {
  const isRight = (given: string) => /^\d+$/.test(given) && Number(given) >= least && Number(given) <= most;
  return {
    read: (given) => (isRight(given) ? Number(given) : undefined),
    must: `be a whole number${unit} from ${least} to ${most}`,
  };
}

const milliseconds = (least: number) => wholeNumber(least, maxTimerMs, ' of milliseconds');

const header: Reader<readonly [name: string, value: string]> = {
  read(given) {
    const [, name, value = ''] = /^([^\s:]+):(.*)$/s.exec(given) ?? [];
    return name === undefined ? undefined : [name, value.trim()];
  },
  must: 'be a name, a colon and a value',
};

/** A new value for a setting. */
export interface Assignment {
  readonly settingId: string;
  readonly value: string;
}

const assignment: Reader<Assignment> = {
  read(given) {
    const [, settingId, value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    return settingId === undefined ? undefined : { settingId, value };
  },
  must: 'be the id of a setting, = and a value, such as model=small',
};

export const options = {
  format: takes('FORMAT', text, 'the form of the result, the default first'),
  protocol: takes('1|2', oneOf('1', '2'), 'offer this version only, instead of both'),
  trace: takes('FILE', path, 'record each message as one line {dir, t, msg}'),
  timeout: takes('MS', milliseconds(1), 'how long to wait for an answer from the agent'),
  agent: takes('NAME', text, 'run this agent of the registry'),
  header: takesMany(
    "'NAME: VALUE'",
    header,
    'send a header to the agent at a URL; no secrets, see --token-env',
  ),
  'token-env': takes('NAME', text, 'send the token in this environment variable to the agent at a URL'),
  'share-files': takesNone('let the agent at a URL read and write the files here, in --cwd'),
  web: takesNone('serve the inspector: a page that shows what happens, and drives the agent'),
  port: takes(
    'N',
    wholeNumber(1, 65_535, ''),
    'the port of the inspector on 127.0.0.1; a free one by default',
  ),
  // It can be on another machine.
  cwd: takes('DIR', text, 'the directory of the session'),
  session: takes('ID', text, 'the session to use, instead of a new one'),
  set: takesMany('ID=VALUE', assignment, 'change a setting, such as model=small'),
  file: takesMany('FILE', path, 'add a file or an image to the prompt'),
  mcp: takesMany('FILE', path, 'use the MCP servers of a configuration'),
  permit: takes('HOW', oneOf('ask', 'allow', 'reject'), 'ask (the default), allow or reject'),
  'allow-edits': takesMany(
    'DIR',
    path,
    'allow edits of files below this directory; --permit answers the rest',
  ),
  summary: takes('FILE', path, 'write what happened in the turn as JSON'),
  settle: takes('MS', milliseconds(0), 'end after this time without an update (300)'),
  keep: takesNone('record the transcript, for the command history'),
  directory: takes('DIR', path, 'the directory of the recorded transcripts'),
  help: { ...takesNone('print the help'), short: 'h' },
  version: { ...takesNone('print the version of this program'), short: 'v' },
} as const satisfies Record<string, Option>;

type Options = typeof options;
export type OptionName = keyof Options;

// `Object.keys` has the type `string[]`.
export const optionNames = Object.keys(options) as readonly OptionName[];

type ValueOf<One> = One extends Reader<infer Value> ? Value : boolean;

/** The values of the options that were given. */
export type Values = {
  readonly [Name in OptionName]?: Options[Name] extends { readonly multiple: true }
    ? readonly ValueOf<Options[Name]>[]
    : ValueOf<Options[Name]>;
};
