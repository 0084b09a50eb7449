import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { takePicture } from '../browser.ts';
import { accessibilityFaults } from '../inspector-page.ts';
import { expectReached } from '../reached.ts';
import { builtExample, type ExamplePage, type Theme } from '../vscode-example.ts';

const agent = join(import.meta.dirname, '../agents/asking.mjs');

const built = builtExample({ hasScrollBars: true });

let example: ExamplePage;
const open = async (options: { sessions?: number; theme?: Theme; widthPx?: number } = {}) => {
  const { sessions = 0, ...look } = options;
  example = await built.open({
    command: [process.execPath, agent, String(sessions)],
    ...look,
  });
  await sessionButton().and(example.page.locator(':enabled')).waitFor();
};
afterEach(async () => {
  await example.stop();
  expect(example.problems).toEqual([]);
});

const log = () => example.page.getByRole('log');
const input = () => example.page.getByRole('textbox', { name: 'Prompt' });
const sessionButton = () => example.page.getByRole('button', { name: /^Session:/ });
const question = () => example.page.locator('.question:not([hidden])');
const say = async (text: string) => {
  await input().fill(text);
  await input().press('Enter');
};
const press = (key: string) => example.page.keyboard.press(key);
const focused = () =>
  example.page.evaluate<string>(`(() => {
    const { activeElement } = document.querySelector('acp-panel').shadowRoot;
    return [activeElement?.tagName ?? 'BODY', activeElement?.className ?? ''].join(' ');
  })()`);

describe('questions', () => {
  test('are shown one at a time, each with what is asked for, and are reached with buttons', async () => {
    await open();
    await say('questions');
    await question().getByText('1 of 3').waitFor();
    expect(await question().count()).toBe(1);
    await question().getByRole('heading', { name: 'Make edits?' }).waitFor();
    await question().getByText('2 files, +4 -2').waitFor();
    await question().getByText('tea.md').first().waitFor();
    await question().locator('[data-change="added"]', { hasText: 'which is coffee.md' }).waitFor();
    await question().getByRole('button', { name: 'Next question' }).click();
    await question().getByText('2 of 3').waitFor();
    await question().getByText('$ sh -c "rm -rf build"').waitFor();
    await question().getByRole('button', { name: 'Next question' }).click();
    await question().getByText('"address": "teapot"').waitFor();
    await question().getByRole('button', { name: 'Previous question' }).click();
    await question().getByText('2 of 3').waitFor();
  });

  test('are answered with numbers, and Escape refuses one of them', async () => {
    await open();
    await say('questions');
    await question().getByText('1 of 3').waitFor();
    expect(await focused()).toMatch(/^TEXTAREA/);
    await example.page.keyboard.down('1');
    await log().getByText('Make edits? yes').waitFor();
    await question().getByText('1 of 2').waitFor();
    // A key that is held down is pressed again and again.
    await example.page.keyboard.down('1');
    await example.page.keyboard.up('1');
    await question().getByRole('heading', { name: 'Run a command?' }).waitFor();
    await eventually(focused).toBe('SECTION question');
    await press('Escape');
    await log().getByText('Run a command? no').waitFor();
    expect(await log().getByText('Run a command? yes').count()).toBe(0);
    await question().getByRole('heading', { name: 'Call a tool?' }).waitFor();
    await eventually(focused).toBe('SECTION question');
    await press('2');
    await log().getByText('Call a tool? always').waitFor();
    await log().getByText('End of “questions”.').waitFor();
    await eventually(focused).toMatch(/^TEXTAREA/);
    expect(await input().inputValue()).toBe('');
  });

  test('get no number that is part of a text', async () => {
    await open();
    await say('questions');
    await question().getByText('1 of 3').waitFor();
    await input().fill('Only ');
    await input().press('1');
    await eventually(() => input().inputValue()).toBe('Only 1');
    await question().getByText('1 of 3').waitFor();
    await press('9');
    await press('Escape');
    await log().getByText('Make edits? no').waitFor();
    await eventually(() => input().inputValue()).toBe('Only 19');
  });

  test('close the plan, which is open again after them', async () => {
    await open();
    await say('plan');
    await question().getByText('1 of 3').waitFor();
    const plan = example.page.locator('details.plan');
    await eventually(() => plan.getAttribute('open')).toBeNull();
    for (const title of ['Make edits?', 'Run a command?', 'Call a tool?']) {
      await question().getByRole('heading', { name: title }).waitFor();
      await press('1');
    }
    await eventually(() => plan.getAttribute('open')).toBe('');
  });

  test('leave a form as it is while another question is shown', async () => {
    await open();
    await say('form');
    await question().getByRole('textbox', { name: 'Name (required)' }).fill('Oolong');
    await press('1');
    await press('Enter');
    await log().getByText('form: accept Oolong1').waitFor();
  });

  test.each([
    [180, 480],
    [300, 480],
    [180, 860],
  ])(
    'have no button out of reach at %i by %i pixels, and the transcript has height',
    async (width, height) => {
      await open({ widthPx: width });
      await example.page.setViewportSize({ width, height });
      await say('plan');
      await question().getByText('1 of 3').waitFor();
      const tops = await question()
        .getByRole('button', { name: /^(Previous|Next) question$/ })
        .evaluateAll((both) => both.map((each) => each.getBoundingClientRect().top));
      expect(tops[0], 'the two buttons are on one line').toBe(tops[1]);
      for (let index = 0; index < 3; index++) {
        for (const button of await question().getByRole('button').all()) await expectReached(button);
        await question().getByRole('button', { name: 'Next question' }).click();
      }
      for (const button of await example.page.locator('.controls button, header button').all()) {
        await expectReached(button);
      }
      const sizes = await example.page.evaluate<{ main: number; excess: number; bar: boolean }>(`((root) => ({
      main: root.querySelector('main').clientHeight,
      excess: Math.max(...[document.body, root.querySelector('.questions')].map(
        (each) => each.scrollWidth - each.clientWidth)),
      bar: [...root.querySelectorAll('.questions, .subject')].every(
        (each) => each.scrollHeight <= each.clientHeight + 1 || each.offsetWidth - each.clientWidth >= 6),
    }))(document.querySelector('acp-panel').shadowRoot)`);
      expect(sizes.main).toBeGreaterThanOrEqual(50);
      expect(sizes).toMatchObject({ excess: 0, bar: true });
    },
  );
});

describe('keys', () => {
  test('Escape cancels the turn when nothing is asked', async () => {
    await open();
    await say('wait');
    await example.page.getByRole('button', { name: 'Cancel' }).waitFor();
    await press('Escape');
    await log().getByText('End of “wait”.').waitFor();
  });

  test('Escape closes the list of commands, and does not cancel the turn', async () => {
    await open({ sessions: 3 });
    await say('wait');
    await example.page.getByRole('button', { name: 'Cancel' }).waitFor();
    await sessionButton().click();
    const dialog = example.page.getByRole('dialog', { name: 'Sessions' });
    await dialog.waitFor();
    await press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await example.page.getByRole('button', { name: 'Cancel' }).click();
    await log().getByText('End of “wait”.').waitFor();
  });

  test('the arrows recall the prompts of the session, and change no text of the user', async () => {
    await open();
    await say('one');
    await log().getByText('End of “one”.').waitFor();
    // The first prompt opened the session. The focus stayed.
    expect(await focused()).toMatch(/^TEXTAREA/);
    await say('two');
    await log().getByText('End of “two”.').waitFor();
    await press('ArrowUp');
    await eventually(() => input().inputValue()).toBe('two');
    await press('ArrowUp');
    await eventually(() => input().inputValue()).toBe('one');
    await press('ArrowUp');
    await press('ArrowDown');
    await eventually(() => input().inputValue()).toBe('two');
    await press('ArrowDown');
    await eventually(() => input().inputValue()).toBe('');
    await input().fill('mine');
    await press('ArrowUp');
    await press('x');
    await eventually(() => input().inputValue()).toMatch(/^x?minex?$/);
  });
});

describe('sessions', () => {
  test('500 are searched, opened with keys, and deleted after a confirmation', async () => {
    await open({ sessions: 500 });
    await sessionButton().click();
    const dialog = example.page.getByRole('dialog', { name: 'Sessions' });
    const items = dialog.locator('.session-item');
    await eventually(() => items.count()).toBe(500);
    expect(await items.locator('time').count()).toBe(500);
    expect(await items.first().innerText()).toContain('acp-workspace-');
    await dialog.getByRole('searchbox').fill('session 499');
    await dialog.getByText('1 of 500 sessions').waitFor();
    await press('ArrowDown');
    await eventually(focused).toContain('session-item');
    await dialog.getByRole('button', { name: 'Delete “Session 499 of many”' }).click();
    await press('Escape');
    await eventually(() => items.count()).toBe(1);
    await dialog.getByRole('button', { name: 'Delete “Session 499 of many”' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('0 of 499 sessions').waitFor();
    await dialog.getByRole('searchbox').fill('session 498');
    await press('ArrowDown');
    await press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await example.page.getByRole('button', { name: 'Session: Session 498 of many' }).waitFor();
    await eventually(focused).toMatch(/^TEXTAREA/);
  });

  test('of 3 can be searched too, and the arrows go to one of them', async () => {
    await open({ sessions: 3 });
    await sessionButton().click();
    const dialog = example.page.getByRole('dialog', { name: 'Sessions' });
    await dialog.locator('.session-item').first().waitFor();
    await eventually(focused).toContain('INPUT');
    await press('ArrowDown');
    await eventually(focused).toContain('session-item');
    await press('ArrowDown');
    await press('Enter');
    await example.page.getByRole('button', { name: 'Session: Session 1 of many' }).waitFor();
  });
});

test('a login says once what is needed, with the ways and their descriptions, and then sends the prompt', async () => {
  await open();
  await say('login');
  await question().getByRole('heading', { name: 'The agent needs a login' }).waitFor();
  expect(await question().getByText('login', { exact: false }).count()).toBe(2);
  await question().getByText('The tea is locked.').waitFor();
  await question().getByText('The key from the page of your account').waitFor();
  const classes = await question()
    .locator('button.answer')
    .evaluateAll((buttons) => buttons.map(({ className }) => className));
  expect(classes).toEqual(['answer', 'answer secondary', 'answer secondary']);
  await press('2');
  await log().getByText('End of “login”.').waitFor();
});

test('a turn that failed is said once, in the words of the agent', async () => {
  await open();
  await say('fail');
  await log().getByText('The pot is broken.').waitFor();
  expect(await example.page.getByText('The pot is broken.').count()).toBe(1);
  expect(await example.page.getByText('-32603').count()).toBe(0);
});

test('a turn shows a sign of life with seconds, which a screen reader is not told', async () => {
  await open();
  await say('wait');
  const seconds = example.page.locator('.seconds');
  await seconds.getByText(/^[2-9] s$/).waitFor();
  expect(await seconds.getAttribute('aria-hidden')).toBe('true');
  const status = example.page.getByRole('status').filter({ hasText: 'Working…' });
  expect(await status.innerText()).toBe('Working…');
  await press('Escape');
  await seconds.waitFor({ state: 'hidden' });
});

describe.each(['light', 'dark', 'contrast'] as const)('axe-core finds no fault in %s', (theme) => {
  const shows = {
    questions: 'Make edits?',
    plan: 'Make edits?',
    form: 'Which tea?',
    login: 'The agent needs a login',
  };
  test.each(Object.entries(shows))('with %s', async (prompt, title) => {
    await open({ theme });
    await say(prompt);
    await question().getByRole('heading', { name: title }).waitFor();
    for (const width of [180, 300, 390, 600, 1280]) {
      await example.page.setViewportSize({ width, height: width === 180 ? 480 : 860 });
      await takePicture(example.page, `${prompt}-${theme}-${width}`);
    }
    expect(await accessibilityFaults(example.page)).toEqual([]);
  });

  test('with the list of sessions', async () => {
    await open({ theme, sessions: 20 });
    await sessionButton().click();
    await example.page.locator('.session-item').first().waitFor();
    await takePicture(example.page, `sessions-${theme}`);
    expect(await accessibilityFaults(example.page)).toEqual([]);
  });
});
