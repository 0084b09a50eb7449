import type { DiskFault } from '../../support/faulty-disk.ts';

/** The faults that each call that writes has. */
export const diskFaults: readonly DiskFault[] = [
  ...[0, 0.3, 0.9, 1].map((part) => ({ kind: 'kill' as const, part })),
  ...[0, 0.5].flatMap((part) =>
    [false, true].map((reordered) => ({ kind: 'power' as const, part, reordered })),
  ),
  ...['ENOSPC', 'EIO', 'EROFS', 'ENOENT'].flatMap((code) => [
    { kind: 'error' as const, code, part: 0.5, calls: 1 },
    { kind: 'error' as const, code, part: 0, calls: 5 },
  ]),
];
