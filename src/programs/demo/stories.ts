import { newSession, type Session } from './session.ts';
import { agent, call, edit, file, plan, reported, run, type Step, thought, user } from './updates.ts';

/** An example session: what it is, and the steps of its transcript. */
type Story = Pick<Session, 'sessionId' | 'cwd' | 'title' | 'updatedAt'> & {
  readonly additionalDirectories?: readonly string[];
  readonly steps: readonly Step[];
};

const almanac = '/home/ada/almanac';
const parser = `${almanac}/src/parse-date.ts`;

const wrongParser = `import { daysInMonth } from './months.ts';

/** The date in a text such as "24 December 2025", or undefined where there is no such day. */
export function parseDate(text: string): Date | undefined {
  const [day, month, year] = readParts(text);
  const leap = year % 4 === 0;
  if (day > daysInMonth(month, leap)) return undefined;
  return new Date(Date.UTC(year, month - 1, day));
}
`;

const rightParser = wrongParser.replace('year % 4 === 0', 'isLeapYear(year)').concat(`
/** Every fourth year, but of the centuries only every fourth. */
function isLeapYear(year: number): boolean {
  return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
}
`);

const tasks = ['Hear the failing test', 'Read the parser', 'Mend it, and run every test'];

/** A PNG image of a calendar page. */
const calendarPage =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAADFBMVEXe4uY0OkDJKir///+UvQy3AAAA10lEQVR4AQHMADP/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAQAAAAAAAgIBAgICAgICAgIBAgIAAAACAgICAgICAgICAgICAgAAAAMDAwMDAwMDAwMDAwMDAAAAAwMBAQEBAwMBAQEBAwMAAAADAwMDAwEDAwEDAwEDAwAAAAICAgICAgICAgICAgICAAAAAwMBAwMDAwMDAwMBAwMAAAADAwEBAQEDAwEBAQEDAwAAAAMDAwMDAwMDAwMDAwMDAAAAAAAAAAAAAAAAAAAAAAAAaWwBJy0uttgAAAAASUVORK5CYII=';

const leapDay: Story = {
  sessionId: 'example-leap-day',
  cwd: almanac,
  title: 'The day that never was',
  updatedAt: '2026-02-28T16:40:00.000Z',
  steps: [
    user('The date parser has been red since this morning, and I swear I did not touch it. Can you look?'),
    thought('A red test is a witness. I should hear it before I accuse anybody.'),
    plan(tasks, 0),
    run(
      'npm test -- parse-date',
      almanac,
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
    call(file('read', parser, 6), reported(wrongParser)),
    thought(
      'Line 6: `year % 4 === 0`. That is the calendar of Julius Caesar. The reform of 1582 took three leap days out of every four centuries, and 1900 is one of the years that lost theirs.',
    ),
    agent(
      'Found it. The parser lives by the calendar of **Julius Caesar**, where every fourth year is a leap year. Since 1582 a century is one only if 400 divides it: 2000 was, 1900 was not.\n\nI will give the rule a function of its own, so that the next reader need not be a historian.',
    ),
    plan(tasks, 2),
    call(edit(parser, 6, wrongParser, rightParser)),
    run(
      'npm test',
      almanac,
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
      almanac,
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

const teaHouse = '/home/ada/tea-house';
const sign = `${teaHouse}/signs/welcome.txt`;

const wholeSign = `Καλώς ορίσατε!
欢迎光临
أهلاً وسهلاً
ברוכים הבאים
Welcome 👩‍🍳👨‍👩‍👧‍👦
`;

// U+2028 separates lines in a browser, and is invisible in most editors.
const brokenSign = wholeSign.replace('ορίσατε!', 'ορίσατε!\u2028');

const welcomeSign: Story = {
  sessionId: 'example-tea-house',
  cwd: teaHouse,
  additionalDirectories: ['/home/ada/fonts'],
  title: 'A hole in the welcome sign',
  updatedAt: '2026-02-21T10:05:00.000Z',
  steps: [
    user(
      'The welcome sign has an empty line after the Greek, but only in the browser. The file has none, I looked twice.',
      { type: 'resource_link', name: 'welcome.txt', uri: `file://${sign}`, mimeType: 'text/plain' },
    ),
    thought('A line that one program sees and another does not: that smells of an invisible character.'),
    call(file('read', sign, 1), reported(brokenSign)),
    agent('It looks innocent to me as well. So let us look at the bytes at the end of that line.'),
    run('head -n 1 signs/welcome.txt | tail -c 5 | xxd -p', teaHouse, '21e280a80a\n'),
    agent(
      'I found it. The byte `21` is the exclamation mark, and `0a` ends the line. Between them are the bytes `e2 80 a8`. They are the character **U+2028**, the line separator. Editors do not show it, but browsers break the line there. Probably a person pasted the greeting from a document.',
    ),
    call(edit(sign, 1, brokenSign, wholeSign)),
    agent(
      `It is gone. The sign now reads, in a browser too:\n\n${wholeSign.trim()}\n\nThe Arabic and the Hebrew lines run from right to left, as they should; I did not touch those.`,
    ),
    user('Wonderful. One more thing: is the family on the last line one guest or four?'),
    agent(
      'That depends on who asks. 👨‍👩‍👧‍👦 is one character to a reader, seven code points to Unicode, eleven units to JavaScript and twenty-five bytes to the disk. But do bring four cups.',
    ),
  ],
};

const lighthouse = '/home/ada/lighthouse';
const diary = `${lighthouse}/logs/diary-1911.txt`;

const oldLogs: Story = {
  sessionId: 'example-lighthouse',
  cwd: lighthouse,
  title: 'Old logs',
  updatedAt: '2026-02-14T22:14:00.000Z',
  steps: [
    user('The disk is full again. Please delete the logs that are older than ten years.'),
    run(
      'find logs -mtime +3650 -printf "%s %p\\n"',
      lighthouse,
      '4402341478 logs/foghorn-debug.log\n81920 logs/diary-1911.txt\n',
    ),
    thought(
      'One of these is 4.4 GB of a fog horn saying that it is a fog horn. The other is a keeper’s diary, and eighty kilobytes. By the letter of the order both must go. I had better ask.',
    ),
    call(file('delete', `${lighthouse}/logs/foghorn-debug.log`), reported('Deleted: 4.4 GB are free.')),
    call(file('delete', diary), { ...reported('The user refused.'), status: 'failed' }),
    agent(
      'The fog horn is gone, and with it 4.4 GB. You kept the diary of 1911, which I think was right: it takes less room than this conversation will, and there is only one.',
    ),
    user('I did not even know we had it. What does it say?'),
    call(
      file('read', diary, 1),
      reported(
        '14 November 1911. Fog since Sunday.\n15 November 1911. Fog.\n16 November 1911. Fog. Taught the parrot to say “ship ahoy”.\n17 November 1911. It will not stop.\n',
      ),
    ),
    agent(
      'It is mostly fog, but there is a parrot. Shall I read you the rest? On the 18th he writes: “Clear at la',
    ),
    call(file('read', diary, 5), { status: 'cancelled' }),
    user('Stop there, I want to read it by the fire. Good night.'),
    agent('Good night. Mind the stairs.'),
  ],
};

/** Example sessions, which show what a transcript can contain. */
export const examples: readonly Session[] = [leapDay, welcomeSign, oldLogs].map(({ steps, ...described }) => {
  const session = { ...newSession(described.sessionId, described.cwd), ...described };
  for (const step of steps) session.history.push(...step(session.history.length + 1));
  return session;
});
