import fc from 'fast-check';
import type { Recording } from './corpus.ts';

const encoder = new TextEncoder();

/** Names that mean something to JavaScript, to the protocol, or to neither. */
const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'length',
  '',
  '$/cancel_request',
  '$/cancelRequest',
  'session/update',
  'session/request_permission',
  'elicitation/create',
  'terminal/create',
  'terminal/output',
  'fs/read_text_file',
  'mcp/message',
  '_fuzz/known',
  'initialize',
];

const protocolKeys = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  'code',
  'message',
  'data',
  'sessionId',
  'update',
  'sessionUpdate',
  'content',
  'type',
  'text',
  'toolCallId',
  'status',
  'messageId',
  'requestId',
  'options',
  'optionId',
  'terminalId',
  '_meta',
];

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1e308,
    2 ** 53,
    -0.5,
    '',
    [],
    {},
    [[]],
    '\u0000',
    '\ud800',
    // Objects that JavaScript converts to other values with their own methods.
    { toString: '' },
    { valueOf: null, toString: null },
    { length: 2 ** 32 - 1 },
    { toJSON: 1 },
  ),
  fc.constantFrom(...hostileNames),
  fc.string({ maxLength: 12, unit: 'binary' }),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 }),
);

const key = fc.constantFrom(...hostileNames, ...protocolKeys);

/** A change to a message, or to the bytes that it is written in. `at` is a place in either, from 0 to 1. */
type Change =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'delete'; readonly at: number; readonly count: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly count: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'replace'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'rename'; readonly at: number; readonly key: string }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'nest'; readonly at: number; readonly levels: number };

// Not fc.double: most doubles between 0 and 1 lie next to 0.
const at = fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at, bit: fc.nat(7) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constant('delete' as const), at, count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at, count: fc.integer({ min: 1, max: 80 }) }),
  fc.record({ kind: fc.constant('cut' as const), at }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('replace' as const), at, value: hostileValue }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), at, key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at }) },
  fc.record({ kind: fc.constant('nest' as const), at, levels: fc.constantFrom(4, 60, 400, 2500, 20_000) }),
);

/** What is sent in place of a line: a line of the recording with changes, or something that is no line of any. */
export type Damage =
  | { readonly line: number; readonly changes: readonly Change[] }
  | { readonly fresh: unknown }
  | { readonly bytes: Uint8Array };

const fresh = fc.dictionary(
  key,
  fc.oneof(
    { weight: 2, arbitrary: hostileValue },
    fc.dictionary(key, fc.oneof(hostileValue, fc.dictionary(key, hostileValue, { maxKeys: 4 })), {
      maxKeys: 6,
    }),
  ),
  { maxKeys: 6 },
);

/** Mostly lines of the recording, whole or damaged. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ line: fc.noBias(fc.nat(9999)), changes: fc.array(change, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ fresh }) },
  { weight: 1, arbitrary: fc.record({ bytes: fc.uint8Array({ maxLength: 30 }) }) },
);

/** The bytes of some damage, a line feed at the end: what comes next must not suffer. */
export function bytesOf(item: Damage, { lines }: Recording): Uint8Array {
  if ('bytes' in item) return terminated(item.bytes);
  if ('fresh' in item) return terminated(encoder.encode(JSON.stringify(item.fresh)));
  let line = lines[item.line % lines.length] ?? '';
  for (const each of item.changes) if (each.kind !== 'nest') line = changeMessage(line, each);
  // Last, and once: what is nested that deep could not be written again.
  const nesting = item.changes.find(({ kind }) => kind === 'nest');
  if (nesting) line = changeMessage(line, nesting);
  let bytes: Uint8Array = encoder.encode(line);
  for (const each of item.changes) bytes = changeBytes(bytes, each);
  return terminated(bytes);
}

function terminated(bytes: Uint8Array): Uint8Array {
  const line = new Uint8Array(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = 0x0a;
  return line;
}

function changeBytes(bytes: Uint8Array, each: Change): Uint8Array {
  const place = 'at' in each ? Math.floor(each.at * bytes.length) : 0;
  const before = bytes.subarray(0, place);
  switch (each.kind) {
    case 'flip':
      return joined(before, Uint8Array.of((bytes[place] ?? 0) ^ (1 << each.bit)), bytes.subarray(place + 1));
    case 'insert':
      return joined(before, each.bytes, bytes.subarray(place));
    case 'delete':
      return joined(before, bytes.subarray(place + each.count));
    case 'repeat':
      return joined(before, bytes.subarray(place, place + each.count), bytes.subarray(place));
    case 'cut':
      return before;
    default:
      return bytes;
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** The places in a message: what holds each value, and under which key. */
function placesIn(value: unknown, places: [Record<string, unknown>, string][] = []) {
  if (typeof value !== 'object' || value === null) return places;
  const holder = value as Record<string, unknown>;
  for (const name of Object.keys(holder)) {
    places.push([holder, name]);
    placesIn(holder[name], places);
  }
  return places;
}

/** Stands where a deep value is put in: writing one as a value would overflow the stack. */
const nestHere = '@nest@';

function changeMessage(line: string, each: Change): string {
  if (each.kind === 'nest') {
    const nested = `${'{"a":['.repeat(each.levels / 2)}${']}'.repeat(each.levels / 2)}`;
    return changeMessage(line, { ...each, kind: 'replace', value: nestHere }).replace(
      `"${nestHere}"`,
      nested,
    );
  }
  if (each.kind !== 'replace' && each.kind !== 'rename' && each.kind !== 'remove') return line;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return line;
  }
  const places = placesIn(message);
  const place = places[Math.floor(each.at * places.length)];
  if (!place) return line;
  const [holder, name] = place;
  const value = each.kind === 'replace' ? each.value : holder[name];
  const newName = each.kind === 'rename' && !Array.isArray(holder) ? each.key : name;
  delete holder[name];
  // Defined, so that one named __proto__ is written to the line as any other.
  if (each.kind !== 'remove') {
    Object.defineProperty(holder, newName, { value, enumerable: true, configurable: true, writable: true });
  }
  return JSON.stringify(message);
}
