import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import type { Exchange } from './raw-client.ts';

interface Definition {
  readonly 'x-method'?: string;
  readonly 'x-side'?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The official JSON schema of a protocol version, asked whether an agent may write a message. */
export class OfficialSchema {
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #definitions: Readonly<Record<string, Definition>>;
  readonly #keys: ReadonlySet<string>;
  readonly #constants: ReadonlySet<string>;

  constructor(version: 1 | 2, alsoAllowedKeys: readonly string[] = []) {
    const path = createRequire(import.meta.url).resolve(
      `@agentclientprotocol/sdk/schema/v${version}/schema.json`,
    );
    const schema: JsonObject = JSON.parse(readFileSync(path, 'utf8'));
    addFormats.default(this.#ajv);
    for (const format of ['uint16', 'uint32', 'uint64']) {
      this.#ajv.addFormat(format, {
        type: 'number',
        validate: (value) => Number.isSafeInteger(value) && value >= 0,
      });
    }
    this.#ajv.addSchema(schema, 'acp');
    // The file is a JSON schema whose definitions carry these annotations.
    this.#definitions = schema['$defs'] as unknown as Readonly<Record<string, Definition>>;
    this.#constants = new Set(constants(schema));
    this.#keys = new Set([...propertyNames(schema), ...alsoAllowedKeys, 'jsonrpc', 'id', 'error', 'result']);
  }

  /** What is wrong with a message: nothing, where the list is empty. */
  problems({ message, method }: Exchange): readonly string[] {
    const fields = [...fieldsOf(message)];
    return [
      ...fields
        .filter(([key]) => !this.#keys.has(key))
        .map(([key]) => `no property of this version is named ${key}`),
      ...fields
        .filter(([key, value]) => tags.includes(key) && !this.#constants.has(String(value)))
        .map(([key, value]) => `this version has no ${key} ${value}`),
      ...this.#check('#', message),
      ...this.#check(...this.#payload(message, method)),
    ].map((problem) => `${problem} in ${JSON.stringify(message)}`);
  }

  /** The part of a message that has a definition of its own, with that definition. */
  #payload(
    { method, params, result, error, id }: JsonObject,
    answered: string | undefined,
  ): [string, unknown] {
    if (method === '$/cancel_request') return ['#/$defs/CancelRequestNotification', params];
    if (typeof method === 'string') {
      return [this.#find('client', method, id === undefined ? 'Notification' : 'Request'), params];
    }
    if (error !== undefined) return ['#/$defs/Error', error];
    // The drafts with markers loaded a session as version 1 did; the answer is that to a resume.
    const current =
      answered === 'session/load' && !this.#has('agent', answered) ? 'session/resume' : answered;
    return [this.#find('agent', current ?? '', 'Response'), result];
  }

  #has(side: string, method: string): boolean {
    return Object.values(this.#definitions).some(
      (definition) => definition['x-method'] === method && definition['x-side'] === side,
    );
  }

  #find(side: string, method: string, suffix: string): string {
    const name = Object.entries(this.#definitions).find(
      ([name, definition]) =>
        name.endsWith(suffix) && definition['x-method'] === method && definition['x-side'] === side,
    )?.[0];
    if (name === undefined) throw new Error(`The schema has no ${suffix} for ${method}`);
    return `#/$defs/${name}`;
  }

  #check(pointer: string, value: unknown): readonly string[] {
    const known = this.#validators.get(pointer);
    const validate = known ?? this.#ajv.compile({ $ref: `acp${pointer}` });
    this.#validators.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${pointer} ${instancePath} ${message}`,
    );
  }
}

/** The names of all properties in a schema, so that a misspelt optional one is found. */
function* propertyNames(schema: JsonValue): Generator<string> {
  if (Array.isArray(schema)) {
    for (const part of schema) yield* propertyNames(part);
  } else if (isJsonObject(schema)) {
    if (isJsonObject(schema['properties'])) yield* Object.keys(schema['properties']);
    for (const part of Object.values(schema)) yield* propertyNames(part);
  }
}

/** The values that a schema names one by one. An open union would take any other as well. */
function* constants(schema: JsonValue): Generator<string> {
  if (Array.isArray(schema)) {
    for (const part of schema) yield* constants(part);
  } else if (isJsonObject(schema)) {
    if (typeof schema['const'] === 'string') yield schema['const'];
    for (const part of Object.values(schema)) yield* constants(part);
  }
}

/** The properties that say of which kind something is. */
const tags: readonly string[] = [
  'sessionUpdate',
  'type',
  'state',
  'stopReason',
  'status',
  'kind',
  'operation',
];

/** Only the agent knows the shape of the input and output of a tool, and of the data of an error. */
const free: readonly string[] = ['rawInput', 'rawOutput', 'data', '_meta'];

function* fieldsOf(value: JsonValue): Generator<readonly [string, JsonValue]> {
  if (Array.isArray(value)) {
    for (const part of value) yield* fieldsOf(part);
  } else if (isJsonObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      yield [key, part];
      if (!free.includes(key)) yield* fieldsOf(part);
    }
  }
}
