import { printable } from '../../core/base/printable.ts';
import type { ContentBlockInput } from '../../core/model/content.ts';
import type { Conversation, ConversationEntry, ToolCallEntry } from '../../core/model/conversation.ts';
import type { FileChange, ToolCallDiff } from '../../core/model/tool-call.ts';
import { entryTexts } from '../../records/transcripts/entry-text.ts';
import type { PanelDiff, PanelLocation } from './options.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';
import type { PanelPlace } from './state.ts';
import { insidePath, isUriInside, linkedFile, localPath } from './workspace.ts';

/** What the places of a conversation are resolved with. */
export interface PlaceContext {
  readonly conversation: Conversation;
  /** The working directory of the session. */
  readonly cwd: string;
  /** The folders of the workspace. */
  readonly folders: readonly string[];
}

type Places = { readonly [K in PanelPlace['kind']]: Extract<PanelPlace, { kind: K }> };

/** The path of each kind of place. Each throws a refusal if the conversation does not have the place. */
const locations: {
  readonly [K in keyof Places]: (place: Places[K], context: PlaceContext) => PanelLocation;
} = {
  location(place, context) {
    const location = toolCallAt(context, place.entryKey).locations[place.index];
    if (!location) throw unknownPlace();
    // The protocol allows 0, which no line has.
    return { path: checkedPath(location.path, context), line: location.line || null };
  },
  diff(place, context) {
    return { path: checkedPath(changeAt(place, context).change.path, context), line: null };
  },
  link({ entryKey, uri }, context) {
    return fileIn([...entryTexts(entryAt(context, entryKey), context.conversation)], uri, context);
  },
  plan({ planId, uri }, context) {
    const plan = context.conversation.plans.find((each) => each.planId === planId);
    if (plan?.type !== 'markdown') throw unknownPlace();
    if (uri !== undefined) return fileIn([plan.content], uri, context);
    if (plan.path === undefined) throw unknownPlace();
    return { path: checkedPath(plan.path, context), line: null };
  },
};

/** The file of a link in texts of the conversation. */
function fileIn(texts: readonly string[], uri: string, { cwd, folders }: PlaceContext): PanelLocation {
  if (!texts.some((text) => text.includes(uri))) throw unknownPlace();
  const file = linkedFile(uri, cwd, folders);
  if (!file) throw outside(uri);
  return file;
}

/**
 * The location that a place of the conversation names.
 *
 * @throws a refusal if the conversation does not have the place, or it is outside of the workspace.
 */
export function locationOf<K extends PanelPlace['kind']>(
  place: Places[K],
  context: PlaceContext,
): PanelLocation {
  // The table is keyed by the kind of the place.
  return locations[place.kind as K](place, context);
}

/** The file of a diff that a place names, with what the agent sent of it. */
export function diffOf(place: Places['diff'], context: PlaceContext): PanelDiff {
  const { diff, change } = changeAt(place, context);
  return {
    path: checkedPath(change.path, context),
    oldText: change.oldText ?? null,
    newText: change.newText ?? null,
    patch: diff.patch,
  };
}

/**
 * The address of a page, if the conversation has it.
 *
 * @throws a refusal if it has not, or if the address is not one of the web.
 */
export function linkOf(url: string, { conversation }: Pick<PlaceContext, 'conversation'>): string {
  const href = webAddress(url);
  // A browser adds the slash to an address without a path.
  const spellings = [url, href, href.replace(/\/$/, '')];
  const isNamed = namesIn(conversation).some((name) =>
    spellings.some((spelling) => hasAddress(name, spelling)),
  );
  if (!isNamed)
    throw refused('The conversation does not have this address. A page opens only what it shows.');
  return href;
}

/** What follows an address that goes on, as `http://e` does in `http://evil.example`. */
const moreOfAddress = /^[.,:;!?@]?[\p{L}\p{N}%/#&=+-]/u;

/** Whether a text has the address, and not only the beginning of it. */
function hasAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + address.length)) {
    const end = at + address.length;
    if (!moreOfAddress.test(text.slice(end, end + 3))) return true;
  }
  return false;
}

/** An address of the web, as a browser writes it. */
export function webAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed.href;
  throw refused('Only addresses that begin with http: or https: can be opened.');
}

/**
 * Checks that the conversation contains each line of a text. What is at the ends of a line for Markdown does not count: a
 * page removes the indentation and the quote marks of a block of code. Nor do characters count that a page does not show.
 *
 * @throws a refusal
 */
export function assertShown(text: string, conversation: Conversation): void {
  const linesOf = (each: string) =>
    printable(each)
      .split(/\r?\n/)
      .map((line) => line.replace(/^[\s>]+/, '').trimEnd());
  const missing = new Set(linesOf(text));
  missing.delete('');
  for (const name of namesIn(conversation)) {
    if (missing.size === 0) return;
    for (const line of linesOf(name)) missing.delete(line);
  }
  if (missing.size === 0) return;
  throw refused('The conversation does not contain this text. A page inserts only what it shows.');
}

/**
 * Checks the addresses in a prompt of a page: files in the workspace, the web, and what the editor's dialog returned.
 *
 * @throws a refusal
 */
export function assertAttachments(
  blocks: readonly ContentBlockInput[],
  folders: readonly string[],
  isChosen: (uri: string) => boolean,
): void {
  for (const uri of blocks.filter((block) => !isOwnContent(block)).flatMap(urisOf)) {
    const isAllowed = /^https?:\/\//i.test(uri) ? URL.canParse(uri) : isUriInside(uri, folders);
    if (!isAllowed && !isChosen(uri)) throw outside(uri);
  }
}

/** Whether a block has the content of a file that the user gave to the page: it has a name, and no place. */
function isOwnContent(block: ContentBlockInput): boolean {
  return block.type === 'resource' && urisOf(block).every((uri) => /^attachment:[^/\\]*$/i.test(uri));
}

/** The addresses in a block of a prompt. */
export function urisOf(block: ContentBlockInput): readonly string[] {
  const { uri } = 'resource' in block ? block.resource : { uri: Reflect.get(block, 'uri') };
  return typeof uri === 'string' ? [uri] : [];
}

function entryAt({ conversation }: PlaceContext, entryKey: string): ConversationEntry {
  const entry = conversation.entries.find(({ key }) => key === entryKey);
  if (!entry) throw unknownPlace();
  return entry;
}

function toolCallAt(context: PlaceContext, entryKey: string): ToolCallEntry {
  const entry = entryAt(context, entryKey);
  if (entry.kind !== 'toolCall') throw unknownPlace();
  return entry;
}

function changeAt(
  { entryKey, index, change: changeIndex = 0 }: Places['diff'],
  context: PlaceContext,
): { readonly diff: ToolCallDiff; readonly change: FileChange } {
  const diff = toolCallAt(context, entryKey).content[index];
  // An unknown type begins with an underscore, so the type says that it is a diff.
  const change = diff?.type === 'diff' ? (diff as ToolCallDiff).changes[changeIndex] : undefined;
  if (!change) throw unknownPlace();
  return { diff: diff as ToolCallDiff, change };
}

/** The texts and addresses of a conversation in which a link can be. */
function namesIn(conversation: Conversation): readonly string[] {
  const { entries, plans } = conversation;
  return [
    ...entries.flatMap((entry) => [...entryTexts(entry, conversation)]),
    ...plans.flatMap((plan) => (plan.type === 'markdown' ? [plan.content] : [])),
  ];
}

/**
 * A path that the agent named. It can be outside of the workspace, and cannot name a share of another machine there.
 */
function checkedPath(path: string, { folders }: PlaceContext): string {
  const checked = insidePath(path, folders) ?? localPath(path, folders);
  if (checked === undefined) throw outside(path);
  return checked;
}

function unknownPlace() {
  return refused('The conversation does not have this place. It can have changed: look at it again.');
}

/** The user can see it: a link of the agent leads there. */
function outside(path: string) {
  const start = JSON.stringify(path.slice(0, 200));
  const message = `${start} is not in a folder of the workspace. Open it in the editor yourself.`;
  return panelError('panel.outside', message);
}
