import { choosePermissionOption, connect, remoteTransport } from 'acp-client-sdk';
import { renderMarkdown } from 'acp-client-sdk/conversation';
import { workspaceFiles, workspaceSession } from 'acp-client-sdk/vscode';
import * as vscode from 'vscode';

/** Runs one turn with an agent, and shows it as a document. */
export async function ask() {
  const prompt = await vscode.window.showInputBox({ prompt: 'What shall the agent do?' });
  if (!prompt) return;
  const address = vscode.workspace.getConfiguration('webAgent').get('address', '');
  const connection = await connect(remoteTransport(address), {
    clientInfo: { name: 'web-agent', version: '0.0.1' },
    handlers: { requestPermission, ...workspaceFiles(vscode) },
  });
  try {
    const session = await connection.newSession(workspaceSession(vscode));
    const { stopReason } = await session.prompt(prompt);
    // The end first: VS Code draws only the lines that are in view.
    const content = `Ended: ${stopReason}\n\n${renderMarkdown(session.conversation)}\n`;
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.window.showTextDocument(document);
  } finally {
    await connection.close();
  }
}

async function requestPermission({ title, options }) {
  const items = options.map(({ name, optionId }) => ({ label: name, optionId }));
  const item = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (item) return { outcome: 'selected', optionId: item.optionId };
  return choosePermissionOption(options, 'reject_once') ?? { outcome: 'cancelled' };
}
