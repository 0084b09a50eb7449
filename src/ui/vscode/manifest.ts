import * as v from 'valibot';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { VsCodeContext } from './api.ts';

/** What a view takes from the manifest of the extension. */
export interface Manifest {
  readonly clientInfo: ConnectOptions['clientInfo'];
  /** The name of the extension, for the user. */
  readonly title: string;
  /** The first view of the type `webview`. */
  readonly viewId: string | undefined;
  /** Where the file of the element is, relative to the extension. */
  readonly elementScript: string;
}

const ManifestSchema = v.object({
  name: v.optional(v.string(), 'vscode-extension'),
  displayName: v.optional(v.string()),
  version: v.optional(v.string(), '0.0.0'),
  main: v.optional(v.string(), 'dist/extension.js'),
  contributes: v.optional(
    v.object({
      views: v.optional(
        v.record(v.string(), v.array(v.object({ id: v.string(), type: v.optional(v.string()) }))),
        {},
      ),
    }),
    {},
  ),
});

/** Reads the manifest, `package.json`. VS Code has replaced the texts of translations in it. */
export function manifestOf({ extension }: VsCodeContext): Manifest {
  const result = v.safeParse(ManifestSchema, extension?.packageJSON ?? {});
  const { name, displayName, version, main, contributes } = result.success
    ? result.output
    : v.parse(ManifestSchema, {});
  const views = Object.values(contributes.views).flat();
  const directory = main.slice(0, main.lastIndexOf('/') + 1).replace(/^\.\//, '');
  return {
    clientInfo: { name, version, ...(displayName !== undefined && { title: displayName }) },
    title: displayName ?? name,
    viewId: views.find(({ type }) => type === 'webview')?.id,
    elementScript: `${directory}panel-element.js`,
  };
}
