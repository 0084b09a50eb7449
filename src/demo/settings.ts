import type { JsonObject } from '../json.ts';
import type { Mode, Settings } from './history.ts';

// What a user can choose in a session, and the commands on offer. The agent's modes are an option as well, for
// version 2 has no modes of its own.

export interface Choice<T extends string = string> {
  readonly value: T;
  readonly name: string;
  readonly description: string;
}

export const modes: readonly Choice<Mode>[] = [
  { value: 'ask', name: 'Ask first', description: 'Asks before it changes a file.' },
  { value: 'auto', name: 'Go ahead', description: 'Changes files without asking.' },
];

export function isMode(value: unknown): value is Mode {
  return modes.some((mode) => mode.value === value);
}

/** The options without their ids, which the versions name differently. */
export function optionBodies({ mode, thoughts }: Settings): {
  readonly mode: JsonObject;
  readonly thoughts: JsonObject;
} {
  return {
    mode: {
      name: 'Mode',
      description: 'Whether the agent asks before it changes a file.',
      category: 'mode',
      type: 'select',
      currentValue: mode,
      options: modes.map(({ value, name, description }) => ({ value, name, description })),
    },
    thoughts: {
      name: 'Show thoughts',
      description: 'Whether the agent says what it thinks.',
      category: 'thought_level',
      type: 'boolean',
      currentValue: thoughts,
    },
  };
}

/** A command is a keyword of the script with a slash before it. */
export const commands = [
  { name: 'plan', description: 'Show a plan and work through it.', hint: 'what to plan' },
  { name: 'edit', description: 'Ask for permission, then show a changed file.', hint: 'what to change' },
  { name: 'run', description: 'Run a command and show its output.', hint: 'what to run' },
  { name: 'image', description: 'Draw a picture.', hint: null },
  { name: 'unicode', description: 'Answer in several scripts.', hint: null },
] as const;
