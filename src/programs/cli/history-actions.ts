import { documentFormats, type Format } from './formats.ts';

/** A name in angle brackets is required, and one in square brackets is not. One with dots takes several words. */
export interface Argument {
  readonly name: string;
  readonly help: string;
}

/** What `history` can do. */
interface Action {
  readonly argument?: Argument;
  readonly formats: readonly Format[];
  readonly help: string;
}

const listFormats = ['text', 'json', 'jsonl'] as const;

const transcriptId: Argument = {
  name: '<id>',
  help: 'the id of a transcript, as "npx acp-client-sdk history" prints it',
};

const table = {
  list: { formats: listFormats, help: 'the transcripts, the one that changed last first' },
  search: {
    argument: { name: '<words…>', help: 'what to find' },
    formats: listFormats,
    help: 'the places with these words, one after another',
  },
  print: {
    argument: transcriptId,
    formats: documentFormats,
    help: 'a transcript, in the format of --format',
  },
  remove: { argument: transcriptId, formats: ['text'], help: 'deletes a transcript' },
} satisfies Record<string, Action>;

export type ActionName = keyof typeof table;
export const actions: Readonly<Record<ActionName, Action>> = table;

// `Object.keys` has the type `string[]`.
export const actionNames = Object.keys(actions) as readonly ActionName[];

export const isActionName = (name: string): name is ActionName => Object.hasOwn(actions, name);
