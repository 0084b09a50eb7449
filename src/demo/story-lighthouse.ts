import type { StoredSession } from './history.ts';
import { initialSettings } from './history.ts';
import {
  agentSays,
  agentThinks,
  beginsToRead,
  deletes,
  history,
  reads,
  runs,
  userSays,
} from './story-steps.ts';

const cwd = '/home/ada/lighthouse';
const diary = `${cwd}/logs/diary-1911.txt`;

export const lighthouse: StoredSession = {
  sessionId: 'example-lighthouse',
  cwd,
  additionalDirectories: [],
  title: 'Old logs',
  updatedAt: '2026-02-14T22:14:00.000Z',
  settings: initialSettings,
  usage: { used: 2440, size: 200_000, cost: { amount: 0.0151, currency: 'USD' } },
  steps: history(
    userSays('The disk is full again. Please delete the logs that are older than ten years.'),
    runs(cwd, 'find logs -mtime +3650 -printf "%s %p\\n"', 0, [
      '4402341478 logs/foghorn-debug.log',
      '81920 logs/diary-1911.txt',
    ]),
    agentThinks(
      'One of these is 4.4 GB of a fog horn saying that it is a fog horn. The other is a keeper’s diary, and eighty kilobytes. By the letter of the order both must go. I had better ask.',
    ),
    deletes(`${cwd}/logs/foghorn-debug.log`, 'completed', 'Deleted: 4.4 GB are free.'),
    deletes(diary, 'failed', 'The user refused.'),
    agentSays(
      'The fog horn is gone, and with it 4.4 GB. You kept the diary of 1911, which I think was right: it takes less room than this conversation will, and there is only one.',
    ),
    userSays('I did not even know we had it. What does it say?'),
    reads(
      diary,
      '14 November 1911. Fog since Sunday.\n15 November 1911. Fog.\n16 November 1911. Fog. Taught the parrot to say “ship ahoy”.\n17 November 1911. It will not stop.\n',
    ),
    agentSays(
      'It is mostly fog, but there is a parrot. Shall I read you the rest? On the 18th he writes: “Clear at la',
    ),
    beginsToRead(diary, 5),
    userSays('Stop there, I want to read it by the fire. Good night.'),
    agentSays('Good night. Mind the stairs.'),
  ),
};
