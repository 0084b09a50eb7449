import { expect, onTestFinished, test, vi } from 'vitest';
import { connectPanel } from '../../../src/ui/panel/connect.ts';

test('without onError the error of a listener is printed, and a message that is lost is not', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => print.mockRestore());
  const failure = new Error('No room.');
  const panel = connectPanel({
    post() {
      throw new Error('The port is closed.');
    },
    listen: () => () => {},
  });
  onTestFinished(() => panel.close());
  panel.subscribe(() => {
    throw failure;
  });
  panel.setDraft('a');
  expect(print.mock.calls).toEqual([['A listener of the panel failed:', failure]]);
});
