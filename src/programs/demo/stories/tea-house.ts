import { agent, call, edit, file, reported, run, type Story, thought, user } from '../updates.ts';

const cwd = '/home/ada/tea-house';
const sign = `${cwd}/signs/welcome.txt`;

const after = `Καλώς ορίσατε!
欢迎光临
أهلاً وسهلاً
ברוכים הבאים
Welcome 👩‍🍳👨‍👩‍👧‍👦
`;

// U+2028 separates lines in a browser, and is invisible in most editors.
const before = after.replace('ορίσατε!', 'ορίσατε!\u2028');

export const teaHouse: Story = {
  sessionId: 'example-tea-house',
  cwd,
  additionalDirectories: ['/home/ada/fonts'],
  title: 'A hole in the welcome sign',
  updatedAt: '2026-02-21T10:05:00.000Z',
  steps: [
    user(
      'The welcome sign has an empty line after the Greek, but only in the browser. The file has none, I looked twice.',
      { type: 'resource_link', name: 'welcome.txt', uri: `file://${sign}`, mimeType: 'text/plain' },
    ),
    thought('A line that one program sees and another does not: that smells of an invisible character.'),
    call(file('read', sign, 1), reported(before)),
    agent('It looks innocent to me as well. So let us look at the bytes at the end of that line.'),
    run('head -n 1 signs/welcome.txt | tail -c 5 | xxd -p', cwd, '21e280a80a\n'),
    agent(
      'I found it. The byte `21` is the exclamation mark, and `0a` ends the line. Between them are the bytes `e2 80 a8`. They are the character **U+2028**, the line separator. Editors do not show it, but browsers break the line there. Probably a person pasted the greeting from a document.',
    ),
    call(edit(sign, 1, before, after)),
    agent(
      `It is gone. The sign now reads, in a browser too:\n\n${after.trim()}\n\nThe Arabic and the Hebrew lines run from right to left, as they should; I did not touch those.`,
    ),
    user('Wonderful. One more thing: is the family on the last line one guest or four?'),
    agent(
      'That depends on who asks. 👨‍👩‍👧‍👦 is one character to a reader, seven code points to Unicode, eleven units to JavaScript and twenty-five bytes to the disk. But do bring four cups.',
    ),
  ],
};
