import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as v from 'valibot';
import type { Dialect } from '../../src/core/protocol/dialect.ts';
import { v1 } from '../../src/core/protocol/v1/index.ts';
import { updates as updatesV1 } from '../../src/core/protocol/v1/update.ts';
import { v2Baseline, v2Markers } from '../../src/core/protocol/v2/index.ts';
import { updates as updatesV2 } from '../../src/core/protocol/v2/update.ts';
import * as schemaV1 from '../../src/entries/schema-v1.ts';
import * as schemaV2 from '../../src/entries/schema-v2.ts';
import { type Part, parts } from '../schema/parts.mjs';
import { officialDefs } from '../support/official-schema.ts';
import reasons from './reasons.json' with { type: 'json' };

/** What is ours, by version, for the official schemas to judge. */

export const versions = [1, 2] as const;

type Schemas = Readonly<Record<string, v.GenericSchema>>;

export const schemas: Readonly<Record<1 | 2, Schemas>> = { 1: { ...schemaV1 }, 2: { ...schemaV2 } };

export const dialects: Readonly<Record<1 | 2, readonly Dialect[]>> = { 1: [v1], 2: [v2Baseline, v2Markers] };

export const updates: Readonly<Record<1 | 2, Schemas>> = { 1: updatesV1, 2: updatesV2 };

/** What the tests except. `reasons.json` has it by what it is and by the reason. */
export const exceptionsOf = (what: keyof typeof reasons): readonly string[] =>
  Object.values(reasons[what]).flat();

/** Methods that the official schema does not have. */
export const outside = exceptionsOf('methods that the schemas do not have');

const folder = join(import.meta.dirname, '../../src/core/protocol');

/** The sources of the protocol, without the constant that lists names. */
const ours = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('published-schema.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');

const published = JSON.stringify(versions.map((version) => officialDefs(version)));

const isOurs = (name: string) => new RegExp(`'${name}'|\\b${name}\\??:`).test(ours);

/** Whether the library has a part. */
export const isHere = ({ wire }: Part): boolean => wire.every(isOurs);

/** What the library has of these parts, and no schema that it was compared with. */
export const beyond: readonly string[] = parts
  .flatMap(({ wire }) => wire)
  .filter((name) => isOurs(name) && !published.includes(`"${name}"`));
