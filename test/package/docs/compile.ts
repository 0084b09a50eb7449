import { join } from 'node:path';
import ts from 'typescript';
import { type Fault, faultsIn } from '../compiler.ts';
import { root } from './pages.ts';

/** What the options of a user's compiler add to those of this repository, with the sources in place of the package. */
const userOptions = {
  lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
  typeRoots: [join(root, 'node_modules/@types')],
  paths: {
    'acp-client-sdk': [join(root, 'src/entries/index.ts')],
    'acp-client-sdk/*': [join(root, 'src/entries/*.ts')],
    'acp-client-sdk/schema/*': [join(root, 'src/entries/schema-*.ts')],
  },
};

/** The options of a user's compiler. The site shows types with them. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const merged = { ...config, compilerOptions: { ...config.compilerOptions, ...userOptions } };
  return ts.parseJsonConfigFileContent(merged, ts.sys, root).options;
}

/** A program of files of the repository, for questions about its types. */
export function createProgram(names: readonly string[]): ts.Program {
  return ts.createProgram([...names], compilerOptions());
}

/** Compiles files against the sources, as the code of a user. Resolves to the errors in the files, not in the sources. */
export async function compile(files: Readonly<Record<string, string>>): Promise<readonly Fault[]> {
  const faults = await faultsIn(files, userOptions);
  return faults.filter(({ file }) => Object.hasOwn(files, file));
}
