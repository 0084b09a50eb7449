import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { installMeter } from './meter.mjs';
import { withTasks } from './task-times.mjs';

/** How long a scene waits for what the law wants sooner, so that it can say how late it was. */
const patienceMs = 15_000;
const ms = (value) => `${value.toFixed(0)} ms`;
const longest = (values) => Math.max(0, ...values);
const sum = (values) => values.reduce((total, one) => total + one, 0);
/** What 19 of 20 do not exceed. */
const mostWithin = (values, share = 0.95) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;

/**
 * Measures a panel while something happens, and compares it with what must hold.
 *
 * Other programs of the machine make everything slower. So a task counts with the time that the processor worked for it:
 * one of 40 ms can take 160 ms when others have the processor meanwhile. So does a key press, with all tasks until it is
 * shown: when the frame comes is not the page's choice, and can take 80 ms in an empty page of a busy machine. Each limit but
 * that of a task is multiplied by how many times as long all tasks of the page took as the processor worked for them: so many
 * more tasks can wait before a key. On an idle machine that is 1.
 *
 * @param options.panel - As from `panelOf`, idle.
 * @param options.keyboard - Of its page.
 * @param options.act - Starts what is measured.
 * @param options.afterwards - What the user does after the end, before the turn is over.
 * @param options.endMs - The time from sending the last word to seeing it.
 * @param options.lastsMs - How long the agent sends, at least.
 * @param options.types - Whether keys are pressed meanwhile.
 * @param options.limits - The longest task and click, and the limit of key presses, in milliseconds: for the work of 19 of
 *   20, and for the time of one of two. A message of megabytes is hundreds of thousands of elements: now and then the
 *   browser collects garbage for as long as that.
 */
export async function measure(
  stage,
  { panel, keyboard, act, afterwards, lastsMs = 0, endMs, types = true, limits },
) {
  const frame = await panel.content();
  await frame.evaluate(installMeter);
  const since = Date.now();
  const {
    result,
    tasks,
    keys: keyWork,
  } = await withTasks(frame, async () => {
    await frame.evaluate(() => globalThis.meter.start());
    const end = frame.evaluate((wait) => globalThis.meter.end(wait), {
      since,
      limitMs: lastsMs + endMs + patienceMs,
    });
    const over = new AbortController();
    // An error of `end` is handled where it is awaited below.
    end.catch(() => {}).finally(() => over.abort());
    await act();
    if (types) await typeUntil(over.signal, panel, keyboard);
    const afterMs = await end;
    await afterwards?.();
    return { afterMs, ...(await frame.evaluate(() => globalThis.meter.stop())) };
  });
  if (await panel.cancel.isVisible()) await panel.cancel.click();
  await panel.idle();

  const { afterMs, longTasks, keys, clicks } = result;
  const cpu = tasks.map(({ cpuMs }) => cpuMs);
  const cpuMs = sum(cpu);
  const factor = Math.max(1, sum(tasks.map(({ durationMs }) => durationMs)) / cpuMs);
  const figures = {
    end: afterMs,
    task: longest(cpu),
    key: mostWithin(keyWork),
    'half of the keys': mostWithin(keys, 0.5),
    click: longest(clicks),
  };
  const wanted = { ...limits, ...(limits.key && { 'half of the keys': limits.key }), end: endMs };
  stage.note(
    `end ${afterMs === null ? `not within ${ms(endMs + patienceMs)}` : `after ${ms(afterMs)}`}; ` +
      `${longTasks.length} long tasks, ${ms(sum(longTasks))}, longest ${ms(longest(longTasks))}; longest processor time of a task ${ms(figures.task)}; ` +
      `${keys.length} key presses, 19 of 20 with ${ms(figures.key)} of work, half within ${ms(figures['half of the keys'])}, longest ${ms(longest(keys))}` +
      `${clicks.length > 0 ? `; a click ${ms(figures.click)}` : ''}; ` +
      `the processor worked ${ms(cpuMs)} for the page, which took ${factor.toFixed(2)} times as long`,
  );
  if (types) assert.ok(keys.length > 0, 'keys were pressed and shown');
  const broken = Object.entries(wanted).flatMap(([name, limitMs]) => {
    const figure = figures[name];
    const slowdown = name === 'task' ? 1 : factor;
    if (figure !== null && figure <= limitMs * slowdown) return [];
    return [
      `${name}: ${figure === null ? 'not seen' : ms(figure)}, not ${ms(limitMs)} × ${slowdown.toFixed(2)}`,
    ];
  });
  assert.deepEqual(broken, []);
}

/** Presses keys in the prompt, four times a second, as a user who writes the next message. */
async function typeUntil(signal, panel, keyboard) {
  // The first message makes a session, and with it another input.
  await panel.cancel.waitFor();
  await panel.prompt.focus();
  while (!signal.aborted) {
    await keyboard.press('x');
    await sleep(250, undefined, { signal }).catch(() => {});
  }
}
