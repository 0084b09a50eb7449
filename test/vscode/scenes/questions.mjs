import assert from 'node:assert/strict';
import { assertReachable } from '../reach.mjs';
import { until } from '../until.mjs';

/** Waits until the focus is in a part of the panel. */
const hasFocus = (part, what) =>
  until(`the focus is in ${what}`, () =>
    part.evaluate((element) => element.contains(document.activeElement)).catch(() => false),
  );

/** Three questions at once: each shows what it is about, and is answered with a key. */
export const questions = {
  name: 'three questions at once, with keys',
  async play(stage) {
    await stage.agent('streams.mjs');
    const { panel, page, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('edits 3');
    await panel.question.getByText('1 of 3').waitFor();
    assert.equal(await panel.question.count(), 1, 'one question at a time');

    // The title is "Make edits?": the question itself has the file, the counts and the lines.
    await panel.question.getByText('Make edits?').first().waitFor();
    await panel.question.getByText('file-1.js').first().waitFor();
    await panel.question
      .getByText(/\+2\s*-1/)
      .first()
      .waitFor();
    const line = panel.question.locator('[data-change=added]').filter({ hasText: 'added = true' }).first();
    await line.waitFor();

    await panel.nextQuestion.click();
    await panel.question.getByText('2 of 3').waitFor();
    await panel.question.getByText('file-2.js').first().waitFor();
    await panel.previousQuestion.click();
    await panel.question.getByText('1 of 3').waitFor();

    await page.keyboard.press('1');
    await panel.question.getByText('1 of 2').waitFor();
    await hasFocus(panel.question, 'the next question');
    await page.keyboard.press('Escape');
    await panel.question.getByText('file-3.js').first().waitFor();
    assert.equal(await panel.question.getByText(/\d of \d/).count(), 0, 'the last question has no count');
    await hasFocus(panel.question, 'the last question');
    await page.keyboard.press('2');
    await panel.shows('Answers: 1: once, 2: no, 3: always.');
    await panel.idle();
    await hasFocus(panel.prompt, 'the prompt');

    await page.keyboard.press('ArrowUp');
    await until(
      'arrow up recalls the prompt',
      () => panel.prompt.inputValue(),
      (text) => text === 'edits 3',
    );
    await panel.ask('stream mixed 1 120');
    await panel.shows('Part 1');
    await panel.prompt.focus();
    await page.keyboard.press('Escape');
    await panel.shows(/Finished\d/);
    await panel.idle();
  },
};

/** What the user writes while the first message makes a session goes to the prompt. */
export const firstMessage = {
  name: 'the focus stays in the prompt',
  async play(stage) {
    await stage.agent('streams.mjs');
    const { panel, page, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.prompt.fill('stream mixed 1 120');
    await panel.prompt.press('Enter');
    await panel.shows('Part 1');
    await page.keyboard.type('And then');
    assert.equal(await panel.prompt.inputValue(), 'And then');
    await page.keyboard.press('Escape');
    await panel.idle();
  },
};

/** What an agent can ask, with the prompt or the flag that makes it ask. */
const asked = {
  'two questions': { prompt: 'edits 2' },
  'a plan and three questions': { prompt: 'edits-and-plan 3' },
  'a form': { prompt: 'form' },
  'a login': { prompt: 'Hello', flags: ['--login'] },
};
const widths = [180, 300, 600];

/** Each kind of question, in each theme, narrow and wide, and in a window that is low. */
export const questionLooks = Object.entries(asked).map(([name, { prompt, flags = [] }]) => ({
  name: `looks: ${name}`,
  async play(stage) {
    await stage.agent('streams.mjs', ...flags);
    const { panel, page, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask(prompt);
    await panel.question.waitFor();
    for (const width of widths) {
      await workbench.setWidth(width);
      await assertReachable(panel.question, `${name} at ${width} px`);
      await stage.shootInEachTheme(`${name} ${width}`);
    }
    await page.setViewportSize({ width: 1200, height: 480 });
    await workbench.setWidth(180);
    await assertReachable(panel.question, `${name} at 180 × 480 px`);
    await assertReachable(panel.frame.getByRole('form', { name: 'Message' }), 'the prompt at 180 × 480 px');
    await stage.shoot(`${name} low`);
    // At this size the user sees what is asked, and not a slit.
    const { height } = await panel.question.boundingBox();
    assert.ok(height >= 100, `the question is ${height} px high`);
  },
}));
