import { isJsonObject } from '../../core/base/json.ts';
import type { PatchOperation } from '../../core/conversation/patch.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
const isPath: Check = (value) => Array.isArray(value) && value.every((key) => isText(key) || isCount(key));
// A line of JSON has no other values. What it makes of the conversation is checked there.
const isValue: Check = (value) => value !== undefined;

type Operations = { readonly [K in PatchOperation['op']]: Extract<PatchOperation, { op: K }> };

const members: {
  readonly [K in keyof Operations]: { readonly [M in Exclude<keyof Operations[K], 'op'>]: Check };
} = {
  set: { path: isPath, value: isValue },
  unset: { path: isPath },
  append: { path: isPath, text: isText },
  splice: { path: isPath, at: isCount, remove: isCount, insert: Array.isArray },
  output: { terminalId: isText, remove: isCount, text: isText },
};

/**
 * The operations of a patch that was read from a file.
 *
 * @throws TypeError if one of them has not the form of an operation.
 */
export function operationsIn(patch: readonly unknown[]): readonly PatchOperation[] {
  if (!patch.every(isOperation)) throw new TypeError('The patch has something else than operations.');
  return patch;
}

function isOperation(value: unknown): value is PatchOperation {
  if (!isJsonObject(value)) return false;
  const { op } = value;
  if (typeof op !== 'string' || !Object.hasOwn(members, op)) return false;
  // It was just found in the table.
  const checks: Readonly<Record<string, Check>> = members[op as PatchOperation['op']];
  return Object.entries(checks).every(([name, check]) => check(value[name]));
}
