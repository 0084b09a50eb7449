import { agent, call, file, reported, run, type Story, thought, user } from '../updates.ts';

const cwd = '/home/ada/lighthouse';
const diary = `${cwd}/logs/diary-1911.txt`;

export const lighthouse: Story = {
  sessionId: 'example-lighthouse',
  cwd,
  title: 'Old logs',
  updatedAt: '2026-02-14T22:14:00.000Z',
  steps: [
    user('The disk is full again. Please delete the logs that are older than ten years.'),
    run(
      'find logs -mtime +3650 -printf "%s %p\\n"',
      cwd,
      '4402341478 logs/foghorn-debug.log\n81920 logs/diary-1911.txt\n',
    ),
    thought(
      'One of these is 4.4 GB of a fog horn saying that it is a fog horn. The other is a keeper’s diary, and eighty kilobytes. By the letter of the order both must go. I had better ask.',
    ),
    call(file('delete', `${cwd}/logs/foghorn-debug.log`), reported('Deleted: 4.4 GB are free.')),
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
