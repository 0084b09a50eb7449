import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/core/protocol/calls.ts';
import type { Dialect } from '../../src/core/protocol/dialect.ts';
import { neutralParams } from '../support/neutral-params.ts';
import { type Defs, judge, officialDefs } from '../support/official-schema.ts';
import { runs } from '../support/runs.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';
import { dialects, outside, versions } from './ours.ts';

/** The definition of a method's parameters, or of its answer. */
function defOf(defs: Defs, method: string, side: 'agent' | 'client', ending: RegExp): string {
  const found = Object.entries(defs).find(
    ([name, def]) => def['x-method'] === method && def['x-side'] === side && ending.test(name),
  );
  if (!found) throw new Error(`No definition for ${method}`);
  return found[0];
}

const settings = { numRuns: runs(60) };

describe.each(versions)('messages of the client in version %i', (version) => {
  const defs = officialDefs(version);
  const accepts = judge(defs, { formats: true });
  const all = dialects[version].flatMap((dialect) =>
    (Object.keys(dialect.calls) as CallName[]).map((call) => ({ dialect, name: dialect.name, call })),
  );
  const made = all.filter(({ dialect, call, name }) => {
    const loadsAsV1 = name === 'v2-markers' && call === 'loadSession';
    const method = dialect.calls[call]?.descriptor.method;
    // `session/set_model` was removed from the official schema.
    return method !== undefined && !Object.hasOwn(outside, method) && !loadsAsV1 && call !== 'setModel';
  });

  it.each(made)('$call in $name is valid in the official schema', ({ dialect, call }) => {
    fc.assert(
      fc.property(neutralParams[call] as fc.Arbitrary<unknown>, (input) => {
        const made = encoded(dialect, call, input);
        const def = defOf(defs, made.method, 'agent', /(Request|Notification)$/);
        expect({ sent: made.params, accepted: accepts(def, made.params) }).toEqual({
          sent: made.params,
          accepted: true,
        });
      }),
      settings,
    );
  });

  const answered = Object.values(dialects[version][0]?.clientMethods ?? {}).filter(({ result }) => result);

  it.each(answered)('only valid results of $method are sent', ({ method, result }) => {
    const def = defOf(defs, method, 'client', /Response$/);
    const instances = instanceOf(defs, def);
    let sent = 0;
    fc.assert(
      fc.property(fc.oneof(instances, mutationsOf(instances)), (answer) => {
        const ours = v.safeParse(result as v.GenericSchema, answer);
        if (!ours.success) return;
        sent += 1;
        // The MCP server's own answer is handed on unread.
        if (method !== 'mcp/message')
          expect({ answer, ok: accepts(def, ours.output) }).toEqual({ answer, ok: true });
      }),
      settings,
    );
    expect(sent).toBeGreaterThan(0);
  });
});

function encoded(dialect: Dialect, name: CallName, input: unknown) {
  const call = dialect.calls[name];
  if (!call) throw new Error(`${dialect.name} has no ${name}`);
  // The arbitrary is the one of this call.
  const wire = call.encode(input as never);
  return { method: call.descriptor.method, params: v.parse(call.descriptor.params, wire) };
}
