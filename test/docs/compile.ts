import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');

/** A fault that the compiler found in a file that was given to it. */
export interface Fault {
  readonly file: string;
  readonly code: number;
  readonly message: string;
}

/**
 * Compiles files that are not there, named by their paths in the repository, against the sources, as a user's code
 * would be.
 */
export function compile(contents: ReadonlyMap<string, string>): readonly Fault[] {
  const files = new Map([...contents].map(([name, content]) => [join(root, name), content]));
  const options: ts.CompilerOptions = {
    ...ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
      ts.sys,
      root,
    ).options,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    jsx: ts.JsxEmit.ReactJSX,
    baseUrl: root,
    paths: {
      'acp-client-sdk': ['src/index.ts'],
      'acp-client-sdk/node': ['src/node/index.ts'],
      'acp-client-sdk/conversation': ['src/conversation/index.ts'],
      'acp-client-sdk/testing': ['src/testing/index.ts'],
      'acp-client-sdk/schema/v1': ['src/schema-v1.ts'],
      'acp-client-sdk/schema/v2': ['src/schema-v2.ts'],
    },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, target, ...rest) => {
    const content = files.get(name);
    return content === undefined
      ? getSourceFile.call(host, name, target, ...rest)
      : ts.createSourceFile(name, content, target, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...contents.keys()].flatMap((name) => {
    const file = program.getSourceFile(join(root, name));
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      (fault) => ({
        file: name,
        code: fault.code,
        message: ts.flattenDiagnosticMessageText(fault.messageText, ' '),
      }),
    );
  });
}
