// The schemas that a version of the official SDK contains.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
