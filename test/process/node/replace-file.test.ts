import { expect, test } from 'vitest';
import { retryWhileBusy } from '../../../src/node/files/replace-file.ts';

/** An operation that fails with each of `codes` in turn, and then succeeds. */
function failing(...codes: string[]) {
  let calls = 0;
  const operation = async () => {
    const code = codes[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  return { operation, calls: () => calls };
}

test('an operation is repeated while another program uses the file', async () => {
  const { operation, calls } = failing('EPERM', 'EBUSY', 'EACCES');
  await retryWhileBusy(operation, [1, 1, 1]);
  expect(calls()).toBe(4);
});

test('EBUSY is thrown when the file stays in use, whatever Windows answers', async () => {
  const { operation, calls } = failing('EPERM', 'EPERM', 'EPERM', 'EPERM');
  await expect(retryWhileBusy(operation, [1, 1])).rejects.toMatchObject({ code: 'EBUSY' });
  expect(calls()).toBe(3);
});

test('other errors are thrown at once', async () => {
  const { operation, calls } = failing('ENOSPC');
  await expect(retryWhileBusy(operation, [1])).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(calls()).toBe(1);
});
