import { join } from 'node:path';
import ts from 'typescript';
import { createProgram } from './compile.ts';
import { root } from './pages.ts';

/** Entries by the name that a user imports. The names of the schema entries are those of the protocol. */
const modules: Readonly<Record<string, string>> = {
  'acp-client-sdk': 'src/entries/index.ts',
  'acp-client-sdk/node': 'src/entries/node.ts',
  'acp-client-sdk/ag-ui': 'src/entries/ag-ui.ts',
  'acp-client-sdk/ai-sdk': 'src/entries/ai-sdk.ts',
  'acp-client-sdk/conversation': 'src/entries/conversation.ts',
  'acp-client-sdk/markdown': 'src/entries/markdown.ts',
  'acp-client-sdk/panel': 'src/entries/panel.ts',
  'acp-client-sdk/testing': 'src/entries/testing.ts',
  'acp-client-sdk/tools': 'src/entries/tools.ts',
  'acp-client-sdk/transcripts': 'src/entries/transcripts.ts',
  'acp-client-sdk/vscode': 'src/entries/vscode.ts',
};
export const entries = Object.keys(modules);
const fileOf = (entry: string) => join(root, modules[entry] ?? '');

const program = createProgram(entries.map(fileOf));
export const checker = program.getTypeChecker();

/** What an entry exports, each name as it is declared. */
export function exportsOf(entry: string): readonly ts.Symbol[] {
  const file = program.getSourceFile(fileOf(entry));
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is not a module.`);
  return checker
    .getExportsOfModule(module)
    .map((found) => (found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found));
}

export function comment(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

export const isInternal = (symbol: ts.Symbol) =>
  symbol.getJsDocTags().some(({ name }) => name === 'internal');
