import { connect, webSocketTransport } from 'acp-client-sdk';
import { renderMarkdown } from 'acp-client-sdk/conversation';
import * as vscode from 'vscode';

/** Runs one turn with an agent, and shows it as a document. */
export async function ask() {
  const prompt = await vscode.window.showInputBox({ prompt: 'What shall the agent do?' });
  if (!prompt) return;
  const address = vscode.workspace.getConfiguration('webAgent').get('address', '');
  const connection = await connect(webSocketTransport(new WebSocket(address)), {
    clientInfo: { name: 'web-agent', version: '0.0.1' },
    handlers: { requestPermission },
  });
  try {
    const session = await connection.newSession({ cwd: '/project' });
    const { stopReason } = await session.prompt(prompt);
    const content = `${renderMarkdown(session.conversation)}\n\nEnded: ${stopReason}\n`;
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.window.showTextDocument(document);
  } finally {
    await connection.close();
  }
}

async function requestPermission({ title, options }) {
  const items = options.map(({ name, optionId }) => ({ label: name, optionId }));
  const chosen = await vscode.window.showQuickPick(items, { title: title ?? 'Allow this?' });
  return chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' };
}
