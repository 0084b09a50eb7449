import { normalize } from 'node:path';
import { ToolError, type ToolServer, toolServer } from 'acp-client-sdk/tools';
import * as v from 'valibot';
import * as vscode from 'vscode';

const path = v.pipe(v.string(), v.description('The absolute path of a file in the workspace.'));
const severities = ['error', 'warning', 'information', 'hint'];

/** What the agent can do in this window. */
export const windowTools = (): ToolServer =>
  toolServer({
    name: 'vscode',
    tools: {
      open_file: {
        description:
          'Shows a file to the user in the editor, at a line if one is given. The first line is 1.',
        input: v.object({ path, line: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))) }),
        async run({ path, line = 1 }) {
          const start = new vscode.Position(line - 1, 0);
          const selection = new vscode.Range(start, start);
          await vscode.window.showTextDocument(await textFile(path), { selection });
          return 'Opened.';
        },
      },
      diagnostics: {
        description: 'The problems of a file that the editor knows, such as errors of the compiler.',
        input: v.object({ path }),
        annotations: { readOnlyHint: true },
        run: ({ path }) => ({ structuredContent: { problems: problemsOf(fileInWorkspace(path)) } }),
      },
    },
  });

const problemsOf = (file: vscode.Uri) =>
  vscode.languages.getDiagnostics(file).map(({ range, severity, message, source = null }) => {
    return { line: range.start.line + 1, severity: severities[severity] ?? null, message, source };
  });

async function textFile(path: string): Promise<vscode.TextDocument> {
  const file = fileInWorkspace(path);
  try {
    return await vscode.workspace.openTextDocument(file);
  } catch {
    throw new ToolError(`${path} cannot be opened. It must be a text file that exists.`);
  }
}

function fileInWorkspace(path: string): vscode.Uri {
  const file = vscode.Uri.file(normalize(path));
  if (vscode.workspace.getWorkspaceFolder(file)) return file;
  throw new ToolError(`${path} is not in the workspace of the user.`);
}
