import { calendarPage } from './drawings.ts';
import type { StoredSession } from './history.ts';
import { initialSettings } from './history.ts';
import { picture } from './picture.ts';
import { agentSays, agentThinks, edits, history, plan, reads, runs, userSays } from './story-steps.ts';

const cwd = '/home/ada/almanac';
const parser = `${cwd}/src/parse-date.ts`;

const before = `import { daysInMonth } from './months.ts';

/** The date in a text such as "24 December 2025", or undefined where there is no such day. */
export function parseDate(text: string): Date | undefined {
  const [day, month, year] = readParts(text);
  const leap = year % 4 === 0;
  if (day > daysInMonth(month, leap)) return undefined;
  return new Date(Date.UTC(year, month - 1, day));
}
`;

const after = before.replace('year % 4 === 0', 'isLeapYear(year)').concat(`
/** Every fourth year, but of the centuries only every fourth. */
function isLeapYear(year: number): boolean {
  return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
}
`);

const tasks = ['Hear the failing test', 'Read the parser', 'Mend it, and run every test'];

export const leapDay: StoredSession = {
  sessionId: 'example-leap-day',
  cwd,
  additionalDirectories: [],
  title: 'The day that never was',
  updatedAt: '2026-02-28T16:40:00.000Z',
  settings: initialSettings,
  usage: { used: 4870, size: 200_000, cost: { amount: 0.0312, currency: 'USD' } },
  steps: history(
    userSays(
      'The date parser has been red since this morning, and I swear I did not touch it. Can you look?',
    ),
    agentThinks('A red test is a witness. I should hear it before I accuse anybody.'),
    plan(tasks, 0),
    runs(cwd, 'npm test -- parse-date', 1, [
      '✓ reads 24 December 2025',
      '✓ reads 29 February 2024',
      '✗ refuses 29 February 1900',
      '    expected undefined, received 1 March 1900',
      '',
      '2 passed, 1 failed',
    ]),
    agentSays(
      'Two of three pass. The third asks for 29 February 1900, a day that never was, and the parser kindly makes it 1 March. Let me see how it counts.',
    ),
    plan(tasks, 1),
    reads(parser, before, 6),
    agentThinks(
      'Line 6: `year % 4 === 0`. That is the calendar of Julius Caesar. The reform of 1582 took three leap days out of every four centuries, and 1900 is one of the years that lost theirs.',
    ),
    agentSays(
      'Found it. The parser lives by the calendar of **Julius Caesar**, where every fourth year is a leap year. Since 1582 a century is one only if 400 divides it: 2000 was, 1900 was not.\n\nI will give the rule a function of its own, so that the next reader need not be a historian.',
    ),
    plan(tasks, 2),
    edits(parser, 6, before, after),
    runs(cwd, 'npm test', 0, [
      '✓ parse-date (3 tests)',
      '✓ months (12 tests)',
      '✓ moon (16 tests)',
      '',
      '31 passed',
    ]),
    plan(tasks, 3),
    agentSays(
      'All 31 pass. One line changed, one function added:\n\n- `parseDate` asks `isLeapYear` instead of dividing by four,\n- `isLeapYear` knows about the centuries.',
    ),
    userSays('Thank you! But why did it break this morning, of all mornings?'),
    runs(cwd, 'git log -2 --format="%h %ar  %s" -- test src/parse-date.ts', 0, [
      '9d1c2f7 9 hours ago  Test the century years as well',
      '04be77a 6 years ago  Parse dates',
    ]),
    agentSays(
      'It did not. The parser has been wrong for six years; this morning somebody asked it about 1900 for the first time. The commit is yours, by the way, from twenty to eight.',
    ),
    userSays('Before coffee. That explains it. Could I have a picture of the culprit for the changelog?'),
    agentSays(
      'Here it is, struck off the calendar:',
      picture(calendarPage),
      'Happy 1 March 1900 to all who were born a day too early.',
    ),
  ),
};
