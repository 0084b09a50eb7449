const task = 'ThreadControllerImpl::RunTask';
const mark = 'task-times';

/**
 * Begins to measure the tasks of the thread that runs a page. The function that it returns ends it. It resolves to the
 * time that the processor worked for all of them and for the longest one, in milliseconds, and to how many times as long
 * they took: other programs of the machine slow the page down.
 *
 * @param frame - A frame of the page.
 */
export async function measureTasks(frame) {
  const session = await frame.page().context().browser().newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) if (event.name === task || event.name === mark) events.push(event);
  });
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'], excludedCategories: ['*'] },
  });
  // It says which thread it is.
  await frame.evaluate((name) => void performance.mark(name), mark);
  return async () => {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    const { dataLossOccurred } = await complete;
    await session.detach();
    const thread = events.find(({ name }) => name === mark);
    if (dataLossOccurred || !thread) throw new Error('The browser did not report all tasks of the page.');
    const tasks = events.filter(
      ({ name, pid, tid }) => name === task && pid === thread.pid && tid === thread.tid,
    );
    // In microseconds.
    const cpu = tasks.map(({ tdur = 0 }) => tdur);
    const [wallSum, cpuSum] = [tasks.map(({ dur = 0 }) => dur), cpu].map((times) =>
      times.reduce((sum, one) => sum + one, 0),
    );
    return {
      cpuMs: cpuSum / 1000,
      longestMs: Math.max(0, ...cpu) / 1000,
      factor: Math.max(1, wallSum / cpuSum),
    };
  };
}
