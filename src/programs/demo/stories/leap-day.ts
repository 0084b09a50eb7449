import { agent, call, edit, file, plan, reported, run, type Story, thought, user } from '../updates.ts';

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

/** A PNG image of a calendar page. */
const calendarPage =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAADFBMVEXe4uY0OkDJKir///+UvQy3AAAA10lEQVR4AQHMADP/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAQAAAAAAAgIBAgICAgICAgIBAgIAAAACAgICAgICAgICAgICAgAAAAMDAwMDAwMDAwMDAwMDAAAAAwMBAQEBAwMBAQEBAwMAAAADAwMDAwEDAwEDAwEDAwAAAAICAgICAgICAgICAgICAAAAAwMBAwMDAwMDAwMBAwMAAAADAwEBAQEDAwEBAQEDAwAAAAMDAwMDAwMDAwMDAwMDAAAAAAAAAAAAAAAAAAAAAAAAaWwBJy0uttgAAAAASUVORK5CYII=';

export const leapDay: Story = {
  sessionId: 'example-leap-day',
  cwd,
  title: 'The day that never was',
  updatedAt: '2026-02-28T16:40:00.000Z',
  steps: [
    user('The date parser has been red since this morning, and I swear I did not touch it. Can you look?'),
    thought('A red test is a witness. I should hear it before I accuse anybody.'),
    plan(tasks, 0),
    run(
      'npm test -- parse-date',
      cwd,
      `✓ reads 24 December 2025
✓ reads 29 February 2024
✗ refuses 29 February 1900
    expected undefined, received 1 March 1900

2 passed, 1 failed
`,
      1,
    ),
    agent(
      'Two of three pass. The third asks for 29 February 1900, a day that never was, and the parser kindly makes it 1 March. Let me see how it counts.',
    ),
    plan(tasks, 1),
    call(file('read', parser, 6), reported(before)),
    thought(
      'Line 6: `year % 4 === 0`. That is the calendar of Julius Caesar. The reform of 1582 took three leap days out of every four centuries, and 1900 is one of the years that lost theirs.',
    ),
    agent(
      'Found it. The parser lives by the calendar of **Julius Caesar**, where every fourth year is a leap year. Since 1582 a century is one only if 400 divides it: 2000 was, 1900 was not.\n\nI will give the rule a function of its own, so that the next reader need not be a historian.',
    ),
    plan(tasks, 2),
    call(edit(parser, 6, before, after)),
    run(
      'npm test',
      cwd,
      `✓ parse-date (3 tests)
✓ months (12 tests)
✓ moon (16 tests)

31 passed
`,
    ),
    plan(tasks, 3),
    agent(
      'All 31 pass. One line changed, one function added:\n\n- `parseDate` asks `isLeapYear` instead of dividing by four,\n- `isLeapYear` knows about the centuries.',
    ),
    user('Thank you! But why did it break this morning, of all mornings?'),
    run(
      'git log -2 --format="%h %ar  %s" -- test src/parse-date.ts',
      cwd,
      '9d1c2f7 9 hours ago  Test the century years as well\n04be77a 6 years ago  Parse dates\n',
    ),
    agent(
      'It did not break this morning. The parser has been wrong for six years, and this morning a user entered a date in 1900 for the first time. You made the commit yourself, at 7:40.',
    ),
    user('Before coffee. That explains it. Could I have a picture of the culprit for the changelog?'),
    agent(
      'Here it is, struck off the calendar:',
      { type: 'image', mimeType: 'image/png', data: calendarPage },
      'Happy 1 March 1900 to all who were born a day too early.',
    ),
  ],
};
