import * as v from 'valibot';
import { errorMessage } from '../base/diagnostic.ts';
import { otherVersionText, panelVersion } from './messages.ts';
import { readPlainData } from './plain-data.ts';

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
  v.strictObject({ ...sender, type: v.literal('unsent'), number: count }),
  v.strictObject({ ...sender, type: v.literal('fault'), text: v.string(), detail: v.nullable(v.string()) }),
]);

/**
 * From the page to the host.
 *
 * - `ask`: asks for what the page lacks. Is answered in any case. The questions of a page are counted in `asked`.
 * - `have`: says what the page has, and what it has drawn.
 * - `unsent`: the channel cannot carry the call or the draft with this number. The next ones need not wait for it.
 * - `fault`: a listener of the page failed. It is not sent again if it is lost.
 */
export type PageMessage = Readonly<v.InferOutput<typeof PageMessageSchema>>;

/** What is wrong with a message, and what a page needs to understand the refusal. */
export interface WrongMessage {
  readonly reason: 'version' | 'unreadable' | 'malformed';
  readonly text: string;
  /** The call that the message seems to be. */
  readonly call: Readonly<v.InferOutput<typeof CallHead>> | null;
}

const CallHead = v.object({ page: idSchema, run: idSchema, number: count });
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
    return { wrong: { reason: 'unreadable', text: errorMessage(error), call: callIn(message) } };
  }
  const result = v.safeParse(PageMessageSchema, data);
  if (result.success) return { message: result.output };
  const call = callIn(data);
  const version = v.safeParse(Version, data);
  if (version.success && version.output.panel !== panelVersion) {
    const text = `${otherVersionText} If that does not help, build the page with the version of acp-client-sdk that the host uses.`;
    return { wrong: { reason: 'version', text, call } };
  }
  // What the page sent is not repeated: it can be text of the user.
  const where = result.issues.map((issue) => v.getDotPath(issue) ?? 'the message').join(', ');
  return { wrong: { reason: 'malformed', text: `The message is malformed: check ${where}.`, call } };
}

/** A call or a draft as a page writes it as JSON: its number comes last. */
const written = /^\{"panel":\d+,"page":"([^"]+)","run":"([^"]+)",.*"number":(\d+)\}$/s;

/** The call that a message seems to be, also one that cannot be read. */
function callIn(message: unknown): WrongMessage['call'] {
  try {
    const [, page, run, number] = (typeof message === 'string' && written.exec(message)) || [];
    const head = page === undefined ? message : { page, run, number: Number(number) };
    const result = v.safeParse(CallHead, head);
    return result.success ? result.output : null;
  } catch {
    return null;
  }
}
