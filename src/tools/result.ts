import * as v from 'valibot';
import { errorMessage } from '../core/base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import { utf8Length } from '../core/base/utf8-length.ts';
import type { ToolContent } from './tool.ts';
import type { ResultRoom } from './unread-results.ts';

/** The answer to a call, as MCP has it. */
export interface CallResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
  readonly _meta?: JsonObject;
}

/** What became of a result that the agent does not get: what is wrong with it, or that there is no room for it. */
export type UnusableResult = { readonly wrong: string } | { readonly unread: true };

/** The longest answer that an agent gets, in characters of JSON. */
export const maxResultLength = 16 * 1024 * 1024;

const jsonObject = v.custom<JsonObject>(isJsonObject, 'must be an object');
const meta = { _meta: v.optional(jsonObject) };
const base64 = v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64'));

const AnyContent = v.variant('type', [
  v.looseObject({ type: v.literal('text'), text: v.string(), ...meta }),
  v.looseObject({ type: v.literal('image'), data: base64, mimeType: v.string(), ...meta }),
  v.looseObject({ type: v.literal('audio'), data: base64, mimeType: v.string(), ...meta }),
  v.looseObject({
    type: v.literal('resource'),
    resource: v.union([
      v.looseObject({ uri: v.string(), mimeType: v.optional(v.string()), text: v.string() }),
      v.looseObject({ uri: v.string(), mimeType: v.optional(v.string()), blob: base64 }),
    ]),
    ...meta,
  }),
  v.looseObject({ type: v.literal('resource_link'), uri: v.string(), name: v.string(), ...meta }),
]);

// The schema is the one of the type, with other members left in.
const Content = AnyContent as unknown as v.GenericSchema<unknown, ToolContent>;

const ContentList = v.array(Content);

const Output = v.strictObject({
  structuredContent: jsonObject,
  content: v.optional(ContentList),
  ...meta,
});

/**
 * The answer for what a tool returned, or why there is none. It takes its room before it is made. The answer is a copy: a value that JSON does not have,
 * such as a date, becomes what JSON makes of it.
 */
export function resultOf(returned: unknown, room: ResultRoom): CallResult | UnusableResult {
  if (returned === undefined) return { content: [] };
  let text: string;
  try {
    text = JSON.stringify(returned) ?? 'null';
  } catch (error) {
    return { wrong: `it cannot be written as JSON: ${errorMessage(error)}` };
  }
  if (text.length > maxResultLength) {
    return { wrong: `it has ${text.length} characters as JSON, and ${maxResultLength} are allowed` };
  }
  if (!room.take(utf8Length(text))) return { unread: true };
  return callResult(JSON.parse(text), room);
}

/** The answer for a copy of what a tool returned. The schema is the one of its shape, so that it names what is wrong. */
function callResult(value: unknown, room: ResultRoom): CallResult | UnusableResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (Array.isArray(value)) return checked(ContentList, value, (content) => ({ content }));
  if (isJsonObject(value) && 'structuredContent' in value) {
    return checked(Output, value, (output) => structured(output, room));
  }
  if (isJsonObject(value) && 'type' in value) return checked(Content, value, (one) => ({ content: [one] }));
  return { wrong: 'it must be a text, content, a list of content, or an object with structuredContent' };
}

function checked<Value>(
  schema: v.GenericSchema<unknown, Value>,
  value: unknown,
  answer: (value: Value) => CallResult | UnusableResult,
): CallResult | UnusableResult {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return answer(parsed.output);
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue);
  return { wrong: `${path ? `${path}: ` : ''}${issue.message}` };
}

function structured(
  { structuredContent, content, _meta }: v.InferOutput<typeof Output>,
  room: ResultRoom,
): CallResult | UnusableResult {
  const rest = { structuredContent, ...(_meta && { _meta }) };
  if (content) return { content, ...rest };
  // The agent gets it a second time.
  const text = JSON.stringify(structuredContent);
  return room.take(utf8Length(text)) ? { content: [{ type: 'text', text }], ...rest } : { unread: true };
}

/** The answer to a call that failed. The model reads the text. */
export function failure(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}
