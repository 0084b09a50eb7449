import * as vscode from 'vscode';
import { ask } from './ask.js';
import { memoryFiles } from './memory-files.js';

export function activate({ subscriptions }) {
  subscriptions.push(
    vscode.commands.registerCommand('webAgent.ask', ask),
    vscode.workspace.registerFileSystemProvider('memory-files', memoryFiles, { isReadonly: true }),
  );
}
