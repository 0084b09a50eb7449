import { InvalidParamsError } from '../core/base/errors.ts';
import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import { loadMcp, loadValibotConversion } from './packages.ts';

/**
 * A schema that many libraries have: valibot, zod, ArkType and others.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What the check of a Standard Schema returns. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Why a value does not match a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A Standard Schema, or a JSON Schema of the type `object`. */
export type ToolSchema = StandardSchema | JsonObject;

/** A value that matches a schema, or what is wrong with it. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly string[] };

/** The schema of a tool without input. */
const noInput: JsonObject = { type: 'object', properties: {} };

/**
 * Makes a schema ready for use.
 *
 * @param what - What the schema is for, for an error.
 * @throws {@link InvalidParamsError} if the schema is not one of an object, or has no form as JSON Schema.
 */
export async function readySchema(what: string, schema: ToolSchema = noInput) {
  const standard = isStandardSchema(schema) ? schema : await standardOf(what, schema);
  const jsonSchema = isStandardSchema(schema) ? await jsonSchemaOf(what, schema) : schema;
  if (jsonSchema['type'] !== 'object') {
    const got = JSON.stringify(jsonSchema['type']) ?? 'no type';
    throw unusable(what, `must be the schema of an object; its type is ${got}. MCP has no other tools`);
  }
  return {
    /** The schema that the agent gets. */
    jsonSchema,
    async check(value: unknown): Promise<Checked> {
      const result = await standard['~standard'].validate(value);
      return result.issues ? { issues: result.issues.map(issueText) } : { value: result.value };
    },
  };
}

/** Whether a value is a Standard Schema. Those of ArkType are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof Reflect.get(standard, 'validate') === 'function'
  );
}

/** A JSON Schema as a Standard Schema. */
async function standardOf(what: string, schema: JsonObject): Promise<StandardSchema> {
  const { server } = await loadMcp();
  try {
    return server.fromJsonSchema(schema);
  } catch (error) {
    throw unusable(what, 'is not a JSON Schema that can be checked', error);
  }
}

/** The draft of JSON Schema that MCP prescribes. */
const target = 'draft-2020-12';

async function jsonSchemaOf(what: string, schema: StandardSchema): Promise<JsonObject> {
  const { vendor } = schema['~standard'];
  // The vendor says that it is a schema of valibot.
  const convertible =
    vendor === 'valibot' ? (await loadValibotConversion()).toStandardJsonSchema(schema as never) : schema;
  const converter: unknown = Reflect.get(convertible['~standard'], 'jsonSchema');
  const input: unknown =
    typeof converter === 'object' && converter !== null ? Reflect.get(converter, 'input') : undefined;
  if (typeof input !== 'function') {
    throw unusable(
      what,
      `is a schema of ${vendor}, which has no form as JSON Schema. Use a newer version of ${vendor}, or pass a JSON Schema`,
    );
  }
  try {
    const converted: unknown = input({ target });
    if (isJsonObject(converted)) return converted;
  } catch (error) {
    throw unusable(what, 'cannot be written as JSON Schema', error);
  }
  throw unusable(what, 'cannot be written as JSON Schema');
}

function unusable(what: string, why: string, cause?: unknown): InvalidParamsError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new InvalidParamsError(`${what} ${why}${reason}. Nothing was sent.`, { cause });
}

function issueText({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length > 0 ? `${keys.join('.')}: ${message}` : message;
}
