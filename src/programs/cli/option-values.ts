import * as v from 'valibot';
import { oneOf } from '../../base/options.ts';
import { maxTimerMs } from '../../base/wait.ts';
import { turnFormats } from './formats.ts';

/** Values of the options that have rules. The others are any string. */
export const valueSchema = v.looseObject({
  format: v.optional(oneOf(...turnFormats)),
  protocol: v.optional(oneOf('1', '2')),
  timeout: v.optional(milliseconds(1)),
  settle: v.optional(milliseconds(0), '300'),
  permit: v.optional(oneOf('ask', 'allow', 'reject'), 'ask'),
  set: v.optional(v.array(assignment()), []),
  header: v.optional(v.array(header()), []),
  port: v.optional(numberBetween(1, 65_535, /^\d{1,5}$/, 'a port')),
  'older-than': v.optional(numberBetween(0, 36_500, /^\d+$/, 'a whole number of days')),
  'max-size': v.optional(numberBetween(0, 1_000_000_000, /^\d+$/, 'a whole number of megabytes')),
  'keep-last': v.optional(numberBetween(0, 1_000_000_000, /^\d+$/, 'a whole number of transcripts')),
});

export type Permit = v.InferOutput<typeof valueSchema>['permit'];

function milliseconds(least: number) {
  return numberBetween(least, maxTimerMs, /^\d+$/, 'a whole number of milliseconds');
}

function numberBetween(least: number, most: number, form: RegExp, what: string) {
  const isValid = (text: string) => form.test(text) && Number(text) >= least && Number(text) <= most;
  const problem = ({ input }: { readonly input: string }) =>
    `must be ${what} from ${least} to ${most}; got ${JSON.stringify(input)}`;
  return v.pipe(v.string(), v.check(isValid, problem), v.transform(Number));
}

/** A new value for a setting. */
export interface Assignment {
  readonly settingId: string;
  readonly value: string;
}

function assignment() {
  const problem = ({ input }: { readonly input: string }) =>
    `must be the id of a setting, = and a value, such as model=small; got ${JSON.stringify(input)}`;
  return v.pipe(
    v.string(),
    v.check((text) => /^[^=]+=/.test(text), problem),
    v.transform((text): Assignment => {
      const end = text.indexOf('=');
      return { settingId: text.slice(0, end), value: text.slice(end + 1) };
    }),
  );
}

/** A header for the agent at a URL, with its name. */
export type Header = readonly [name: string, value: string];

function header() {
  return v.pipe(
    v.string(),
    // The text may be a secret, and is not in the message.
    v.check((text) => /^[^\s:]+:/.test(text), 'must be a name, a colon and a value'),
    v.transform((text): Header => {
      const end = text.indexOf(':');
      return [text.slice(0, end), text.slice(end + 1).trim()];
    }),
  );
}
