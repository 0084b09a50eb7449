import { expect, test } from 'vitest';
import { problemOf } from '../../../src/panel/problems.ts';

test('the end of a long error is shown as its detail: the last line says most', () => {
  const noise = 'Some output of the agent.\n'.repeat(2000);
  const { message, detail } = problemOf(
    new Error(`The agent failed.\n${noise}No space is left on the device.`),
  );
  expect(message).toContain('The agent failed.');
  expect(detail).toMatch(/No space is left on the device\.$/);
  expect(detail?.length).toBeLessThan(noise.length);
});
