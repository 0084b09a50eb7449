import { documentFormats, type Format } from './formats.ts';

/** A name in angle brackets is required, and one in square brackets is not. One with dots takes several words. */
export interface Argument {
  readonly name: string;
  readonly help: string;
}

/** What `history` can do. */
interface Action {
  readonly argument?: Argument;
  /** The options that not every action has. */
  readonly options: readonly ActionOption[];
  readonly formats: readonly Format[];
  readonly help: string;
}

const pruneOptions = ['older-than', 'max-size', 'keep-last'] as const;
const actionOptions = ['cwd', ...pruneOptions] as const;

/** An option that some actions have, and others have not. */
export type ActionOption = (typeof actionOptions)[number];

const listFormats = ['text', 'json', 'jsonl'] as const;

const transcriptId: Argument = {
  name: '<id>',
  help: 'the id of a transcript, as "npx acp-client-sdk history" prints it',
};

const table = {
  list: {
    options: ['cwd'],
    formats: listFormats,
    help: 'the transcripts, the one that changed last first',
  },
  search: {
    argument: { name: '<words…>', help: 'what to find' },
    options: ['cwd'],
    formats: listFormats,
    help: 'the places with these words, one after another',
  },
  print: {
    argument: transcriptId,
    options: [],
    formats: documentFormats,
    help: 'a transcript, in the format of --format',
  },
  remove: { argument: transcriptId, options: [], formats: ['text'], help: 'deletes a transcript' },
  prune: {
    options: pruneOptions,
    formats: ['text'],
    help: 'deletes old transcripts, as --older-than, --max-size and --keep-last say',
  },
} satisfies Record<string, Action>;

export type ActionName = keyof typeof table;
export const actions: Readonly<Record<ActionName, Action>> = table;

// `Object.keys` has the type `string[]`.
export const actionNames = Object.keys(actions) as readonly ActionName[];

export const isActionName = (name: string): name is ActionName => Object.hasOwn(actions, name);

/** The option that the action does not have. */
export function foreignOption(
  name: ActionName,
  isGiven: (option: ActionOption) => boolean,
): ActionOption | undefined {
  return actionOptions.find((option) => isGiven(option) && !actions[name].options.includes(option));
}

/** The actions that have an option. */
export function actionsWith(option: ActionOption): readonly ActionName[] {
  return actionNames.filter((name) => actions[name].options.includes(option));
}
