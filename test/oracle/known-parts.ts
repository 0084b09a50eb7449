import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Part, parts } from '../schema/parts.mjs';
import { officialDefs } from '../support/official-schema.ts';
import { versions } from './ours.ts';

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
