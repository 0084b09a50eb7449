import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);

/**
 * Checks the messages of an agent against the published schemas of the protocol, with their unstable parts.
 *
 * @param runs - As `runsIn` gives them.
 * @returns `breaches`: paths of values that do not match, and `extras`: paths of fields that are not in the schema. Both
 *   are sorted and contain no ids or numbers.
 */
export function againstSchema(version, runs) {
  checkers[version] ??= checkerOf(version);
  const { $defs, ajv } = checkers[version];
  const breaches = new Set();
  const extras = new Set();
  for (const item of runs.flat().filter(({ direction }) => direction === 'in')) {
    const { isAnswer, message, method, update } = item;
    // A method without a definition is an extension. The connection reports it as a diagnostic.
    const definition = definitionOf($defs, item);
    if (definition === undefined) continue;
    const value = isAnswer ? (message.error ?? message.result) : message.params;
    const name = [isAnswer ? `the answer to ${method}` : method, update?.sessionUpdate]
      .filter(Boolean)
      .join(', ');
    const validate = ajv.getSchema(`official#/$defs/${definition}`);
    if (!validate(value)) breaches.add(`${name}: \`${placeOf(validate.errors)}\``);
    for (const path of extrasIn($defs, [$defs[definition]], value)) extras.add(`${name}: \`${path}\``);
  }
  return { breaches: [...breaches].sort(), extras: [...extras].sort() };
}

/** A checker by its version: it compiles each definition once. */
const checkers = {};

function checkerOf(version) {
  const file = require.resolve(`@agentclientprotocol/sdk/schema/v${version}/schema.unstable.json`);
  const { $defs } = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false });
  ajv.addSchema({ $id: 'official', $defs });
  return { $defs, ajv };
}

const kinds = { request: /Request$/, notification: /Notification$/, answer: /Response$/ };

function definitionOf($defs, { isCall, isAnswer, message, method }) {
  if (isAnswer && message.error) return 'Error';
  const kind = isAnswer ? 'answer' : isCall ? 'request' : 'notification';
  return Object.keys($defs).find((name) => kinds[kind].test(name) && $defs[name]['x-method'] === method);
}

/** The deepest path of the errors: it belongs to the branch that the agent meant. */
function placeOf(errors) {
  const meant = errors.filter(({ keyword }) => keyword !== 'const');
  const paths = (meant.length > 0 ? meant : errors).map(({ instancePath }) => instancePath);
  const depth = (path) => path.split('/').length;
  const deepest = paths.reduce((best, path) => (depth(path) > depth(best) ? path : best));
  return deepest.replace(/\/\d+(?=\/|$)/g, '/*') || '/';
}

/** The paths in a value that are a property in none of these schemas. `_meta` is allowed everywhere. */
function extrasIn($defs, schemas, value, path = '') {
  const branches = schemas.flatMap((schema) => branchesOf($defs, schema));
  if (Array.isArray(value)) {
    const items = branches.flatMap((branch) => branch.items ?? []);
    return items.length === 0 ? [] : value.flatMap((item) => extrasIn($defs, items, item, `${path}[]`));
  }
  if (typeof value !== 'object' || value === null || branches.some(takesAnything)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = branches.flatMap((branch) => branch.properties?.[key] ?? []);
    const innerPath = path === '' ? key : `${path}.${key}`;
    if (known.length > 0) return extrasIn($defs, known, inner, innerPath);
    return key === '_meta' ? [] : [innerPath];
  });
}

const limits = ['type', '$ref', 'allOf', 'anyOf', 'oneOf', 'properties'];

/** Whether a schema allows any value or any property. */
function takesAnything(branch) {
  const { type, additionalProperties } = branch;
  const isFreeObject = [type].flat().includes('object') && additionalProperties !== undefined;
  return branch === true || isFreeObject || !limits.some((keyword) => keyword in branch);
}

const knownBranches = new WeakMap();

/** A schema, the schemas that it refers to, and its alternatives. */
function branchesOf($defs, schema) {
  if (schema === true) return [schema];
  const known = knownBranches.get(schema);
  if (known) return known;
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema;
  const referred = $ref ? [$defs[$ref.split('/').at(-1)]] : [];
  const parts = [...referred, ...allOf, ...anyOf, ...oneOf];
  const branches = [schema, ...parts.flatMap((part) => branchesOf($defs, part))];
  knownBranches.set(schema, branches);
  return branches;
}
