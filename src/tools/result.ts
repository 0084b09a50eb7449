import * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { ToolContent } from './tool.ts';

/** The answer to a call, as MCP has it. */
export interface CallResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
  readonly _meta?: JsonObject;
}

/** The longest answer that an agent gets, in characters of JSON. */
export const maxResultLength = 16 * 1024 * 1024;

const jsonObject = v.custom<JsonObject>(isJsonObject, 'must be an object');
const meta = { _meta: v.optional(jsonObject) };
const base64 = v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64'));

const Content = v.variant('type', [
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

const Output = v.strictObject({
  structuredContent: jsonObject,
  content: v.optional(v.array(Content)),
  ...meta,
});

const Result = v.union(
  [v.string(), v.undefined(), v.array(Content), Content, Output],
  'must be a text, content, a list of content, or an object with structuredContent',
);

/**
 * The answer for what a tool returned, or what is wrong with it. The answer is a copy: a value that JSON does not have,
 * such as a date, becomes what JSON makes of it.
 */
export function resultOf(returned: unknown): CallResult | { readonly wrong: string } {
  let text: string;
  try {
    text = JSON.stringify(returned) ?? 'null';
  } catch (error) {
    return {
      wrong: `it cannot be written as JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  if (text.length > maxResultLength) {
    return { wrong: `it has ${text.length} characters as JSON, and ${maxResultLength} are allowed` };
  }
  const parsed = v.safeParse(Result, returned === undefined ? undefined : JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = v.getDotPath(issue);
    return { wrong: `${path ? `${path}: ` : 'it '}${issue.message}` };
  }
  return callResult(parsed.output);
}

function callResult(value: v.InferOutput<typeof Result>): CallResult {
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  // The schemas of content are those of the type, with other members left in.
  if (Array.isArray(value)) return { content: value as readonly ToolContent[] };
  if ('type' in value) return { content: [value as ToolContent] };
  const { structuredContent, content, _meta } = value;
  return {
    content: (content as readonly ToolContent[] | undefined) ?? [
      { type: 'text', text: JSON.stringify(structuredContent) },
    ],
    structuredContent,
    ...(_meta && { _meta }),
  };
}

/** The answer to a call that failed. The model reads the text. */
export function failure(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}
