import { join } from 'node:path';
import ts from 'typescript';
import { root } from './pages.ts';

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
/** The options of a user's compiler, with the sources in place of the package. */
export const options: ts.CompilerOptions = {
  ...ts.parseJsonConfigFileContent(config, ts.sys, root).options,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  jsx: ts.JsxEmit.ReactJSX,
  baseUrl: root,
  paths: {
    'acp-client-sdk': ['src/entries/index.ts'],
    'acp-client-sdk/node': ['src/entries/node.ts'],
    'acp-client-sdk/ag-ui': ['src/entries/ag-ui.ts'],
    'acp-client-sdk/ai-sdk': ['src/entries/ai-sdk.ts'],
    'acp-client-sdk/conversation': ['src/entries/conversation.ts'],
    'acp-client-sdk/markdown': ['src/entries/markdown.ts'],
    'acp-client-sdk/panel': ['src/entries/panel.ts'],
    'acp-client-sdk/testing': ['src/entries/testing.ts'],
    'acp-client-sdk/tools': ['src/entries/tools.ts'],
    'acp-client-sdk/transcripts': ['src/entries/transcripts.ts'],
    'acp-client-sdk/vscode': ['src/entries/vscode.ts'],
    'acp-client-sdk/schema/v1': ['src/entries/schema-v1.ts'],
    'acp-client-sdk/schema/v2': ['src/entries/schema-v2.ts'],
  },
};

/** Files that were read and parsed: the programs share them, which takes most of the time. */
const parsed = new Map<string, ts.SourceFile | undefined>();
let previous: ts.Program | undefined;

/** A program of files of the repository, and of files that exist only in memory. */
export function createProgram(
  names: readonly string[],
  contents: ReadonlyMap<string, string> = new Map(),
): ts.Program {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => contents.has(name) || fileExists.call(host, name);
  host.readFile = (name) => contents.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, target, ...rest) => {
    const content = contents.get(name);
    if (content !== undefined) return ts.createSourceFile(name, content, target, true);
    if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, target, ...rest));
    return parsed.get(name);
  };
  previous = ts.createProgram([...names, ...contents.keys()], options, host, previous);
  return previous;
}

/** An error of the compiler. */
export interface Fault {
  readonly file: string;
  readonly code: number;
  readonly message: string;
}

/**
 * Compiles files that exist only in memory, named by their paths in the repository, against the sources, as the code
 * of a user.
 */
export function compile(contents: ReadonlyMap<string, string>): readonly Fault[] {
  const program = createProgram(
    [],
    new Map([...contents].map(([name, content]) => [join(root, name), content])),
  );
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
