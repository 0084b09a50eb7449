const task = 'ThreadControllerImpl::RunTask';
const mark = 'task-times';
const keyPress = 'key press';

/**
 * Runs something, and resolves to what it returned and to the tasks of the page meanwhile: how long each one took, and how
 * long the processor worked for it, in milliseconds. They differ if other programs have the processor. `keys` has for each
 * key press that the meter has seen how long the processor worked for the page until the key was shown.
 *
 * @param frame - A frame of the page.
 */
export async function withTasks(frame, run) {
  const session = await frame.page().context().browser().newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) if ([task, mark, keyPress].includes(event.name)) events.push(event);
  });
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'], excludedCategories: ['*'] },
  });
  try {
    // It says which thread runs the page.
    await frame.evaluate((name) => void performance.mark(name), mark);
    const result = await run();
    await session.send('Tracing.end');
    const { dataLossOccurred } = await complete;
    const thread = events.find(({ name }) => name === mark);
    // A task that runs at the end has no duration.
    const ended = events.filter(({ name, ph }) => name === task && ph === 'X');
    const tasks = ended
      .filter(({ pid, tid }) => pid === thread?.pid && tid === thread?.tid)
      // The trace omits a processor time of 0.
      .map(({ ts, dur, tdur = 0 }) => ({ ts, end: ts + dur, durationMs: dur / 1000, cpuMs: tdur / 1000 }));
    if (dataLossOccurred || tasks.every(({ cpuMs }) => cpuMs === 0))
      throw new Error('The browser did not report all tasks of the page.');
    return { result, tasks, keys: workForKeys(events, tasks) };
  } finally {
    // This also ends a trace that runs, so that the next one can begin.
    await session.detach();
  }
}

/** A key is shown before the next one: the first end is that of the first press. */
function workForKeys(events, tasks) {
  const at = (phase) =>
    events
      .filter(({ name, ph }) => name === keyPress && ph === phase)
      .map(({ ts }) => ts)
      .sort((a, b) => a - b);
  const ends = at('e');
  return at('b').map((start, index) =>
    tasks.filter(({ ts, end }) => end > start && ts < ends[index]).reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  );
}
