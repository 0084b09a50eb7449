import { inOrder } from '../../core/base/in-order.ts';
import { refused } from '../../core/client/requests/file-answers.ts';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { VsCode, VsCodeUri } from './api.ts';

type Document = VsCode['workspace']['textDocuments'][number];

/** The open document of a file. Documents of another scheme, such as `untitled` and `git`, are not the file. */
export function openDocument({ workspace }: VsCode, uri: VsCodeUri): Document | undefined {
  const wanted = keyOf(uri);
  return workspace.textDocuments.find((document) => !document.isClosed && keyOf(document.uri) === wanted);
}

/** Windows compares names without their case. */
const onWindows = /^file:\/\/(?:[^/]|\/[a-z]%3a)/i;

function keyOf(uri: VsCodeUri): string {
  const text = uri.toString();
  return onWindows.test(text) ? text.toLowerCase() : text;
}

/** The text of an open document, where it is not what a reader of the file finds: unsaved, or not UTF-8 on disk. */
export function shownText(document: Document | undefined): string | undefined {
  if (!document) return undefined;
  return document.isDirty || !isUtf8(document) ? document.getText() : undefined;
}

function isUtf8({ encoding = 'utf8' }: Document): boolean {
  return encoding === 'utf8' || encoding === 'utf8bom';
}

const byteOrderMark = '\uFEFF';

/**
 * Returns the function that replaces what differs in an open document, and saves it. The user can undo it. The line
 * ends and the encoding of the document stay. It resolves with `true` when the file has the text, and with `false` if
 * VS Code has not noticed yet that the file of a document without unsaved changes has changed: it reads the file again
 * by itself.
 *
 * Each document is written by one call at a time: otherwise a save would fail because of the other one. It throws a
 * `RequestError` if VS Code refuses the change, or cannot save it.
 */
export function documentWriter(vscode: VsCode) {
  const documents = inOrder();
  return (document: Document, content: string): Promise<boolean> =>
    documents.alone(document.uri.toString(), () => write(vscode, document, content));
}

async function write(vscode: VsCode, document: Document, content: string): Promise<boolean> {
  if (await isStale(vscode, document)) return false;
  const text = textFor(document, content);
  await assertEncodable(vscode, document, text);
  await replaceText(vscode, document, text);
  // An unchanged document without unsaved changes is on disk already, unless its file was deleted.
  if (!(await document.save()) && document.isDirty) {
    const { fsPath } = document.uri;
    const message = `VS Code could not save ${fsPath}. Its editor has the new text, unsaved. The user has to save it: VS Code shows the reason.`;
    throw new RequestError(rpcCodes.internalError, message, { path: fsPath });
  }
  // Formatting on save and similar settings change the text again. A file that is not open would not be formatted.
  if (!document.isDirty && isUtf8(document) && document.getText() !== text)
    await overwrite(vscode, document, text);
  return true;
}

/** Whether the file has changed, and VS Code has not noticed it. */
async function isStale(vscode: VsCode, document: Document): Promise<boolean> {
  if (document.isDirty || !isUtf8(document)) return false;
  const text = await diskText(vscode, document);
  // The user can have typed meanwhile.
  return !document.isDirty && text !== document.getText();
}

/** Throws if the encoding of a document cannot write a text: VS Code would write question marks. */
async function assertEncodable({ workspace }: VsCode, { encoding, uri }: Document, text: string) {
  if (encoding === undefined || !workspace.encode || !workspace.decode) return;
  // It writes all characters, and most files have it.
  if (encoding === 'utf8') return;
  const bytes = await workspace.encode(text, { encoding });
  if ((await workspace.decode(bytes, { encoding })) === text) return;
  const message = `${uri.fsPath} has the encoding ${encoding}, which lacks characters of the text. Leave them out, or ask the user to save the file as UTF-8.`;
  throw refused(message, uri.fsPath);
}

/** How often a change is computed again because the user typed meanwhile. */
const maxAttempts = 5;

async function replaceText(vscode: VsCode, document: Document, text: string): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = document.getText();
    if (before === text) return;
    const { start, end, replacement } = difference(before, text);
    const first = document.positionAt(start);
    const last = document.positionAt(end);
    const range = new vscode.Range(first.line, first.character, last.line, last.character);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, range, replacement);
    if (await vscode.workspace.applyEdit(edit)) return;
  }
  const { fsPath } = document.uri;
  const message = `VS Code did not accept the change of ${fsPath}. It is open, and perhaps the user types in it or it is read-only. Read it, then try again.`;
  throw new RequestError(rpcCodes.internalError, message, { path: fsPath });
}

/** The content as the document has it: with its line ends, and without the mark that belongs to its encoding. */
function textFor({ eol, lineCount, encoding }: Document, content: string): string {
  const hasMark = content.startsWith(byteOrderMark) && encoding !== 'utf8';
  const text = hasMark ? content.slice(byteOrderMark.length) : content;
  // A document of one line has no line ends yet. VS Code gives it those of the platform.
  const lineEnd = lineCount > 1 || !text.includes('\r\n') ? lineEnds[eol] : undefined;
  return text.replace(/\r\n|\r|\n/g, lineEnd ?? lineEnds[2]);
}

const lineEnds: { readonly [eol: number]: string; readonly 2: string } = { 1: '\n', 2: '\r\n' };

/** The part of `before` that `after` replaces, so that cursors and marks outside of it stay. */
export function difference(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  if (isHighSurrogate(before.charCodeAt(start - 1))) start--;
  let kept = 0;
  while (kept < shorter - start && before.at(-1 - kept) === after.at(-1 - kept)) kept++;
  if (isLowSurrogate(before.charCodeAt(before.length - kept))) kept--;
  return { start, end: before.length - kept, replacement: after.slice(start, after.length - kept) };
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

async function diskText(vscode: VsCode, { uri }: Document): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}

/** Writes the file below a document without changes, and waits until VS Code has read it. */
async function overwrite(vscode: VsCode, document: Document, text: string): Promise<void> {
  const mark = document.encoding === 'utf8bom' ? byteOrderMark : '';
  await vscode.workspace.fs.writeFile(document.uri, new TextEncoder().encode(mark + text));
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const check = () => {
      if (document.getText() === text) stop();
    };
    const listener = vscode.workspace.onDidChangeTextDocument(check);
    const timer = setTimeout(stop, reloadTimeoutMs);
    check();
  });
}

/** VS Code watches the files of the workspace, and only checks others when their editor is shown. */
const reloadTimeoutMs = 1000;
