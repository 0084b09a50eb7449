import { oneOf } from '../../base/options.ts';
import { withoutEditorVariables } from './editor-variables.ts';
import { mergeEnvironment } from './merge.ts';

/** What a program that is started gets of the environment of this process. */
export interface InheritedEnvironment {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly editorVariables?: 'remove' | 'keep' | undefined;
}

export const editorVariablesOption = oneOf('remove', 'keep');

/** The environment of this process, mostly without the editor's own variables, and then the changes in `env`. */
export function inheritedEnvironment({ env = {}, editorVariables }: InheritedEnvironment) {
  const inherited = editorVariables === 'keep' ? process.env : withoutEditorVariables(process.env);
  return mergeEnvironment(inherited, env);
}
