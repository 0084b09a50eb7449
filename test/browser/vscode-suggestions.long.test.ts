import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { takePicture } from './browser.ts';
import { builtExample, type ExamplePage } from './vscode-example.ts';

const agent = join(import.meta.dirname, 'agents/suggesting.mjs');

const built = builtExample();

let example: ExamplePage;
beforeEach(async () => {
  example = await built.open({ command: [process.execPath, agent] });
});
afterEach(async () => {
  await example.stop();
  expect(example.problems).toEqual([]);
});

const input = () => example.page.getByRole('textbox', { name: 'Prompt' });
const log = () => example.page.getByRole('log');
const hint = () => input().getAttribute('placeholder');
const say = async (text: string) => {
  await input().fill(text);
  // Before the agent has started, Enter does nothing.
  await example.page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
  await input().press('Enter');
};

test('a suggestion stands in an empty input: Tab takes it, and Escape dismisses it until the next one', async () => {
  await say('hello');
  await log().getByText('Turn 1').waitFor();
  await eventually(hint).toBe('Run the tests of turn 1');
  await takePicture(example.page, 'suggestion');
  await input().press('Tab');
  expect(await input().inputValue()).toBe('Run the tests of turn 1');
  await takePicture(example.page, 'suggestion-taken');
  // It is a draft: nothing was sent.
  expect(await log().getByText('Turn 2').count()).toBe(0);
  await input().press('Enter');
  await log().getByText('Turn 2').waitFor();
  await eventually(hint).toBe('Run the tests of turn 2');
  await input().press('Escape');
  expect(await hint()).toBe('Ask suggesting');
  expect(await input().inputValue()).toBe('');
  await say('and now?');
  await log().getByText('Turn 3').waitFor();
  await eventually(hint).toBe('Run the tests of turn 3');
});

test('a text of the user hides the suggestion, and Tab then leaves the input', async () => {
  await say('hello');
  await eventually(hint).toBe('Run the tests of turn 1');
  await input().fill('my own');
  await input().press('Tab');
  expect(await input().inputValue()).toBe('my own');
  expect(await input().evaluate((element) => element === element.ownerDocument.activeElement)).toBe(false);
});
