import * as v from 'valibot';
import { panelVersion } from './messages.ts';
import { readPlainData, UnreadableMessage } from './plain-data.ts';

/** The maximum length of an id or a name in a message, in characters. */
const maxIdLength = 1000;

export const idSchema = v.pipe(v.string(), v.maxLength(maxIdLength));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * What every message of a page has. `page` is an id that the page chooses when it is loaded, and `run` the one that the
 * host has chosen for this page. `null`: the page has no state of a host. `have` is the number of the last message of the
 * host that the page has taken, `drawn` the number of the last one that it has drawn, and `sent` the number of the last
 * message of the page: see `messages.ts`.
 */
const sender = {
  panel: v.literal(panelVersion),
  page: v.pipe(idSchema, v.minLength(1)),
  run: v.nullable(idSchema),
  have: count,
  drawn: count,
  sent: count,
};

const PageMessageSchema = v.variant('type', [
  v.strictObject({ ...sender, type: v.literal('ask'), asked: count }),
  v.strictObject({ ...sender, type: v.literal('have') }),
  v.strictObject({
    ...sender,
    type: v.literal('call'),
    number: count,
    action: idSchema,
    params: v.record(v.string(), v.unknown()),
  }),
  v.strictObject({ ...sender, type: v.literal('draft'), number: count, text: v.string() }),
  v.strictObject({ ...sender, type: v.literal('fault'), text: v.string(), detail: v.nullable(v.string()) }),
]);

/**
 * From the page to the host.
 *
 * - `ask`: asks for what the page lacks. Is answered in any case. The questions of a page are counted in `asked`.
 * - `have`: says what the page has, and what it has drawn.
 * - `fault`: a listener of the page failed. It is not sent again if it is lost.
 */
export type PageMessage = Readonly<v.InferOutput<typeof PageMessageSchema>>;

/** What is wrong with a message, and what a page needs to understand the refusal. */
export interface WrongMessage {
  readonly reason: 'version' | 'unreadable' | 'malformed';
  readonly text: string;
  /** The call that the message seems to be. */
  readonly call: { readonly page: string; readonly number: number } | null;
}

const CallHead = v.object({ page: idSchema, number: count });
const Version = v.object({ panel: v.number() });

/** Reads a message of a page. Never throws. */
export function readPageMessage(
  message: unknown,
  maxCharacters: number,
): { readonly message: PageMessage } | { readonly wrong: WrongMessage } {
  let data: unknown;
  try {
    data = readPlainData(message, maxCharacters);
  } catch (error) {
    const text = error instanceof UnreadableMessage ? error.message : 'The message cannot be read.';
    return { wrong: { reason: 'unreadable', text, call: null } };
  }
  const result = v.safeParse(PageMessageSchema, data);
  if (result.success) return { message: result.output };
  const head = v.safeParse(CallHead, data);
  const call = head.success ? head.output : null;
  const version = v.safeParse(Version, data);
  if (version.success && version.output.panel !== panelVersion) {
    const text =
      'The page and its host are of different versions of the panel. Load the page again. If that does not help, build the page with the version of acp-client-sdk that the host uses.';
    return { wrong: { reason: 'version', text, call } };
  }
  // What the page sent is not repeated: it can be text of the user.
  const where = result.issues.map((issue) => v.getDotPath(issue) ?? 'the message').join(', ');
  return { wrong: { reason: 'malformed', text: `The message is malformed: check ${where}.`, call } };
}
