import { packageVersion } from '../../core/base/package-version.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/** What `format` of an exported conversation says. */
export const exportFormat = 'acp-client-sdk/conversation';

/**
 * The version that this package writes. A program that reads an older one cannot read it: since version 2, a plan has a
 * type, and not each one has entries.
 */
export const exportVersion = 2;

/**
 * A conversation with what another program needs to read it, as one JSON value.
 *
 * `docs/conversation.schema.json` of the package is its JSON Schema.
 */
export interface ExportedConversation {
  readonly format: typeof exportFormat;
  /**
   * Of the format, not of the package. It is raised where a program that reads the version before would fail, for example
   * for a new kind of entry. New fields do not raise it: ignore fields that you do not know.
   */
  readonly version: typeof exportVersion;
  /** The program that wrote the value. */
  readonly madeBy: { readonly name: string; readonly version: string };
  readonly conversation: Conversation;
}

/**
 * Returns a conversation as one JSON value for files and for other programs, which `importConversation` reads again. The
 * conversation in it is the same object. It has everything, also arguments and output of tools: it can contain secrets.
 *
 * @example
 * ```ts
 * await writeFile('transcript.json', JSON.stringify(exportConversation(session.conversation)));
 * ```
 */
export function exportConversation(conversation: Conversation): ExportedConversation {
  return {
    format: exportFormat,
    version: exportVersion,
    madeBy: { name: 'acp-client-sdk', version: packageVersion },
    conversation,
  };
}
