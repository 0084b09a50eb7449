// What a published schema has that another one has not.
import { partsOf, versions } from './schemas.mjs';

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
