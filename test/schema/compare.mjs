// What a published schema has that another one has not, and where in src/core/protocol it belongs.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const versions = [1, 2];

/** Reads the definitions of an installed SDK, by version of the protocol: the stable ones, and all. */
export function readSchemas(home) {
  const read = (version, file) =>
    JSON.parse(readFileSync(join(home, 'schema', `v${version}`, file), 'utf8')).$defs;
  return Object.fromEntries(
    versions.map((version) => [
      version,
      { stable: read(version, 'schema.json'), all: read(version, 'schema.unstable.json') },
    ]),
  );
}

/**
 * The parts of a definition that can be new: its fields, the values of an enumeration, and the kinds of a union. The
 * keys are what a row of the list names.
 */
export function partsOf(definition) {
  const branches = [...(definition.oneOf ?? []), ...(definition.anyOf ?? []), ...(definition.allOf ?? [])];
  const own = new Set();
  for (const [name, schema] of Object.entries(definition.properties ?? {})) {
    if (schema?.const !== undefined) own.add(`${name}: ${JSON.stringify(schema.const)}`);
    else own.add(name);
  }
  for (const value of definition.enum ?? []) own.add(JSON.stringify(value));
  if (definition.const !== undefined) own.add(JSON.stringify(definition.const));
  for (const branch of branches) for (const part of partsOf(branch)) own.add(part);
  return own;
}

/** Programs that stand between a client and an agent: this library leaves them out. */
const proxy = /Proxy/;

/**
 * Returns a function from a version, a name and a definition to a file: the one that declares it, the one that is named
 * as the page of the specification that the definition links to, and otherwise `unstable.ts`.
 */
export function placesIn(root) {
  const declared = new Map();
  const pages = new Map();
  const shared = readdirSync(join(root, 'src/core/protocol/both')).map((file) => `both/${file}`);
  for (const version of versions) {
    const folder = join(root, 'src/core/protocol', `v${version}`);
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    pages.set(version, new Set(files.map((file) => basename(file, '.ts'))));
    for (const [at, names] of [
      ...files.map((file) => [
        `src/core/protocol/v${version}/${file}`,
        readFileSync(join(folder, file), 'utf8'),
      ]),
      ...[...shared, 'unstable.ts'].map((file) => [
        `src/core/protocol/${file}`,
        readFileSync(join(root, 'src/core/protocol', file), 'utf8'),
      ]),
    ]) {
      for (const [, name] of names.matchAll(/^export const (\w+)/gm)) {
        const key = `${version} ${name}`;
        if (!declared.has(key)) declared.set(key, at);
      }
    }
  }
  return (version, name, definition) => {
    const own = declared.get(`${version} ${name}`);
    if (own !== undefined) return own;
    if (proxy.test(name)) return 'nowhere: a proxy stands between a client and an agent';
    const [, page] =
      /agentclientprotocol\.com\/protocol\/(?:v\d\/)?(?:draft\/)?([\w-]+)/.exec(
        definition?.description ?? '',
      ) ?? [];
    if (page !== undefined && pages.get(version).has(page)) return `src/core/protocol/v${version}/${page}.ts`;
    return `src/core/protocol/v${version}/unstable.ts`;
  };
}

/**
 * @typedef {object} Row
 * @property {1 | 2} version - Of the protocol.
 * @property {'method' | 'capability' | 'definition' | 'field or value' | 'became stable' | 'removed'} kind
 * @property {string} name - `Definition` or `Definition.part`, or the name of a method.
 * @property {boolean} isStable
 * @property {string} place - The file of src/core/protocol where it belongs.
 */

/**
 * Lists what `after` has and `before` has not, and what became stable or was removed.
 *
 * @param before - The schemas as `readSchemas` gives them.
 * @param after - The same, of another version.
 * @param placeOf - The file for a definition: called with the version, the name and the definition.
 * @returns {Row[]}
 */
export function compareSchemas(before, after, placeOf) {
  return versions.flatMap((version) => {
    const rows = [];
    const [old, now] = [before[version], after[version]];
    const add = (kind, name, isStable, definition, owner) =>
      rows.push({ version, kind, name, isStable, place: placeOf(version, owner ?? name, definition) });

    const knownMethods = methodsOf(old.all);
    for (const [method, { name, definition }] of methodsOf(now.all)) {
      if (!knownMethods.has(method)) add('method', method, Object.hasOwn(now.stable, name), definition, name);
    }
    for (const [name, definition] of Object.entries(now.all)) {
      const isStable = Object.hasOwn(now.stable, name);
      const known = old.all[name];
      if (!known) {
        if (!isEnvelope(name)) add('definition', name, isStable, definition);
        continue;
      }
      if (isStable && !Object.hasOwn(old.stable, name)) add('became stable', name, true, definition);
      const kind = name.endsWith('Capabilities') ? 'capability' : 'field or value';
      const knownParts = partsOf(known);
      const stableParts = isStable ? partsOf(now.stable[name]) : new Set();
      const stableBefore = old.stable[name] ? partsOf(old.stable[name]) : new Set();
      for (const part of partsOf(definition)) {
        const partIsStable = stableParts.has(part);
        if (!knownParts.has(part)) add(kind, `${name}.${part}`, partIsStable, definition, name);
        else if (partIsStable && Object.hasOwn(old.stable, name) && !stableBefore.has(part)) {
          add('became stable', `${name}.${part}`, true, definition, name);
        }
      }
    }
    for (const name of Object.keys(old.all)) {
      if (!Object.hasOwn(now.all, name) && !isEnvelope(name)) {
        add('removed', name, Object.hasOwn(old.stable, name), old.all[name]);
      }
    }
    return rows;
  });
}

/** The definition that first names each method, by the method. */
function methodsOf(definitions) {
  const methods = new Map();
  for (const [name, definition] of Object.entries(definitions)) {
    const method = definition['x-method'];
    if (method !== undefined && !methods.has(method)) methods.set(method, { name, definition });
  }
  return methods;
}

/** Definitions that only join others, such as `AgentRequest`: what is in them is listed itself. */
function isEnvelope(name) {
  return /^(?:Agent|Client|Proxy)(?:Request|Response|Notification)$/.test(name);
}

/** The list as text, one line a row. Empty if nothing differs. */
export function listOf(rows) {
  return rows
    .map(
      ({ version, kind, name, isStable, place }) =>
        `version ${version}  ${isStable ? 'stable  ' : 'unstable'}  ${kind.padEnd(14)}  ${name}  → ${place}\n`,
    )
    .join('');
}
