import { type ClientHandlers, type HandlerContext, RequestError } from 'acp-client-sdk';
import * as vscode from 'vscode';

const scheme = 'agent-panel-review';

type Files = { readonly [K in 'readTextFile' | 'writeTextFile']: NonNullable<ClientHandlers[K]> };

/** The files, with a review before each write: VS Code shows the change, and the user accepts or rejects it. */
export function reviewedWrites(files: Files, isReviewed: () => boolean): Files {
  // One review at a time: each opens an editor.
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...files,
    async writeTextFile(request, context) {
      if (isReviewed()) {
        const reviewed = last.then(() => review(files, request, context));
        last = reviewed.catch(() => {});
        await reviewed;
      }
      await files.writeTextFile(request, context);
    },
  };
}

type Write = Parameters<Files['writeTextFile']>[0];

/** Throws the answer to the agent if the user rejects the change. */
async function review(files: Files, { path, content }: Write, context: HandlerContext) {
  const before = await currentText(files, path, context);
  const after = vscode.Uri.file(path).with({ scheme, query: 'after' });
  const texts = new Map([
    ['before', before],
    ['after', content],
  ]);
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: ({ query }) => texts.get(query),
  });
  const title = `${vscode.workspace.asRelativePath(path)} (proposed by the agent)`;
  try {
    await vscode.commands.executeCommand('vscode.diff', after.with({ query: 'before' }), after, title);
    if (await isAccepted(title, context.signal)) return;
    throw new RequestError(-32000, `The user rejected the change of ${path}.`);
  } finally {
    await closeDiff(after);
    provider.dispose();
  }
}

/** The text before the change. Reading also checks that the path is in the workspace. */
async function currentText(files: Files, path: string, context: HandlerContext): Promise<string> {
  try {
    return (await files.readTextFile({ path }, context)).content;
  } catch (error) {
    if (error instanceof RequestError && error.code === -32002) return '';
    throw error;
  }
}

async function isAccepted(title: string, signal: AbortSignal): Promise<boolean> {
  const withdrawn = new vscode.CancellationTokenSource();
  if (signal.aborted) withdrawn.cancel();
  signal.addEventListener('abort', () => withdrawn.cancel());
  const question = { title: `Write ${title}?`, placeHolder: 'Escape rejects it.', ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(['Accept', 'Reject'], question, withdrawn.token)) === 'Accept';
}

async function closeDiff({ path }: vscode.Uri): Promise<void> {
  const isShown = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputTextDiff &&
    input.modified.scheme === scheme &&
    input.modified.path === path;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(isShown));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
