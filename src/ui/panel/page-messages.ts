import * as v from 'valibot';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { otherVersionText, panelVersion } from './messages.ts';
import { readPlainData } from './plain-data.ts';

/** The maximum length of an id or a name in a message, in characters. */
const maxIdLength = 1000;

export const idSchema = v.pipe(v.string(), v.maxLength(maxIdLength));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * What every message of a page has. `page` is an id that the page chooses when it is loaded, and `run` that of its host.
 * `null`: no host has answered. `have` is the number of the last change that the page has taken, `drawn` the number of the
 * last one that it has drawn, and `sent` the number of its last call or draft. The numbers of the page never go back.
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
  v.strictObject({ ...sender, type: v.literal('hello'), asked: count }),
  v.strictObject({ ...sender, type: v.picklist(['ask', 'have']) }),
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
 * - `hello`: asks for everything. These questions of a page are counted in `asked`.
 * - `ask`: asks what the host has of the page.
 * - `have`: says what the page has taken, and what it has drawn.
 * - `fault`: a listener of the page failed. It is not sent again if it is lost.
 */
export type PageMessage = Readonly<v.InferOutput<typeof PageMessageSchema>>;

/** What is wrong with a message. */
export interface WrongMessage {
  readonly reason: 'version' | 'unreadable' | 'malformed';
  readonly text: string;
}

const Version = v.object({ panel: v.number() });

/** Reads a message of a page. Never throws. */
export function readPageMessage(message: unknown, maxCharacters: number): PageMessage | WrongMessage {
  let data: unknown;
  try {
    data = readPlainData(message, maxCharacters);
  } catch (error) {
    return { reason: 'unreadable', text: errorMessage(error) };
  }
  const result = v.safeParse(PageMessageSchema, data);
  if (result.success) return result.output;
  const version = v.safeParse(Version, data);
  if (version.success && version.output.panel !== panelVersion) {
    const text = `${otherVersionText} If that does not help, build the page with the version of acp-client-sdk that the host uses.`;
    return { reason: 'version', text };
  }
  // What the page sent is not repeated: it can be text of the user.
  const where = result.issues.map((issue) => v.getDotPath(issue) ?? 'the message').join(', ');
  return { reason: 'malformed', text: `The message is malformed: check ${where}.` };
}
