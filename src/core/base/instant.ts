/** A time with a zone, as in RFC 3339, also of a year with more than four digits. */
const format = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * The time that a text of an agent names. `undefined` if it names none: the text has no zone, so that the time would depend
 * on the machine, or is something for which `Date` invents a time, such as `-1` or February 30.
 */
export function instantOf(text: string): Date | undefined {
  const [, year, month, day] = format.exec(text) ?? [];
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day))
    return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
