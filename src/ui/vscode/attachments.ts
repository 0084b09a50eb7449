import type { ContentBlockInput } from '../../core/model/content.ts';
import type { VsCode, VsCodeUri } from './api.ts';
import { foldersOf, nameOf } from './workspace.ts';

const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
const maxImageBytes = 10 * 1024 * 1024;

/**
 * Lets the user choose files of the workspace. An image stays an image if the agent accepts images. A file outside of the
 * workspace is refused with a warning.
 */
export async function chooseAttachments(
  vscode: VsCode,
  asImages: boolean,
): Promise<readonly ContentBlockInput[]> {
  const folders = foldersOf(vscode);
  const [defaultUri] = folders;
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: true,
    title: 'Attach files of the workspace',
    ...(defaultUri && { defaultUri }),
  });
  const inside = (chosen ?? []).filter((uri) => folders.some((folder) => isBelow(folder, uri)));
  const refused = (chosen ?? []).filter((uri) => !inside.includes(uri));
  if (refused.length > 0) {
    const names = refused.map(nameOf).join(', ');
    void vscode.window.showWarningMessage(`Not attached, because outside of the workspace: ${names}`);
  }
  return Promise.all(inside.map((uri) => attachmentOf(vscode, uri, asImages)));
}

function isBelow(folder: VsCodeUri, uri: VsCodeUri): boolean {
  const base = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return uri.scheme === folder.scheme && uri.authority === folder.authority && uri.path.startsWith(base);
}

async function attachmentOf(vscode: VsCode, uri: VsCodeUri, asImage: boolean): Promise<ContentBlockInput> {
  const name = nameOf(uri);
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const mimeType = Object.hasOwn(imageTypes, ending) ? imageTypes[ending] : undefined;
  const { size } = await vscode.workspace.fs.stat(uri);
  if (mimeType !== undefined && asImage && size <= maxImageBytes) {
    const data = base64Of(await vscode.workspace.fs.readFile(uri));
    return { type: 'image', mimeType, data, uri: uri.toString() };
  }
  return { type: 'resource_link', name, uri: uri.toString(), size, ...(mimeType && { mimeType }) };
}

const chunkBytes = 32_768;

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  // A function takes a limited number of arguments.
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunkBytes));
  }
  return btoa(binary);
}
