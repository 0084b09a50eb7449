import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type { Feature } from '../../../src/core/protocol/feature.ts';
import { rowsBelow } from '../../package/docs/pages.ts';
import { cwd } from '../../support/open-session.ts';
import { type AnyFeature, page } from './capabilities.ts';

/** What a method needs the agent to advertise, and what some of its parameters need besides. */
export interface Gate {
  readonly requires: Feature;
  readonly parameters: Readonly<Record<string, AnyFeature>>;
}

interface Sample {
  /** The least that the method takes, as on the wire. */
  readonly params: JsonObject;
  /** The agent's answer. Absent for a notification. */
  readonly result?: JsonObject;
}

const methodRows = rowsBelow(page, 'method', 'dialects', 'needs');
const parameterRows = rowsBelow(page, 'parameter', 'dialects', 'methods');

const isIn =
  (dialect: DialectName) =>
  ([, dialects = '']: readonly string[]) =>
    dialects === 'all' || dialects.split(', ').some((each) => dialect.startsWith(each));

const read = (cell = ''): JsonObject => JSON.parse(cell.replaceAll('"CWD"', JSON.stringify(cwd)));

/** What each method of a dialect needs. */
function methodsOf(dialect: DialectName): Readonly<Record<string, Gate>> {
  const rows = methodRows.filter(isIn(dialect)).map(([method = '', , requires]) => {
    const parameters = parameterRows
      .filter((row) => isIn(dialect)(row) && row[2]?.split(', ').includes(method))
      .map(([name, , , needs]) => [name, needs]);
    // The tables have names of features.
    return [method, { requires, parameters: Object.fromEntries(parameters) } as Gate] as const;
  });
  return Object.fromEntries(rows);
}

export const methods: Readonly<Record<DialectName, Readonly<Record<string, Gate>>>> = {
  v1: methodsOf('v1'),
  'v2-markers': methodsOf('v2-markers'),
  'v2-baseline': methodsOf('v2-baseline'),
};

/**
 * The methods that may name the session of a subagent, and what the agent must permit for it. Every other method that
 * names a session is refused for a subagent.
 *
 * @see https://agentclientprotocol.com/protocol/v2/subagents#restricted-methods
 */
export const permittedForSubagents: Readonly<Record<string, 'cancel' | 'nothing'>> = {
  'session/cancel': 'cancel',
  'session/status': 'nothing',
};

/** A valid call of a method. Of a method of another version, that of the other version. */
export function sampleOf(dialect: DialectName, method: string): Sample {
  const rows = methodRows.filter(([name]) => name === method);
  const [, , , params, result] = rows.find(isIn(dialect)) ?? rows[0] ?? [];
  if (params === undefined) throw new Error(`There is no sample of ${method}.`);
  return { params: read(params), ...(result && { result: read(result) }) };
}

/** The commands of a session with the skill of the tables. */
export const availableCommands = [{ type: 'skill', name: 'pdf', description: 'Reads a document' }];

/** The value of a parameter, as on the wire of the dialect. */
export function parameterOf(dialect: DialectName, name: string): JsonObject {
  return read(parameterRows.find((row) => row[0] === name && isIn(dialect)(row))?.[4]);
}
