/**
 * Begins to measure how much other programs slow a page down. The function that it returns ends it, and resolves to the
 * time that the processor worked for the tasks of the page, in milliseconds, and to how many times as long they took.
 *
 * @param frame - A frame of the page.
 */
export async function measureContention(frame) {
  const sessions = await Promise.all(
    ['timeTicks', 'threadTicks'].map((domain) => openSession(frame, domain)),
  );
  const before = await Promise.all(sessions.map(taskTime));
  return async () => {
    const after = await Promise.all(sessions.map(taskTime));
    await Promise.all(sessions.map((session) => session.detach()));
    const [wallMs, cpuMs] = after.map((time, index) => (time - before[index]) * 1000);
    return { cpuMs, factor: Math.max(1, wallMs / cpuMs) };
  };
}

async function openSession(frame, timeDomain) {
  const context = frame.page().context();
  // A frame of another site has a process of its own. The others belong to that of the page.
  const session = await context.newCDPSession(frame).catch(() => context.newCDPSession(frame.page()));
  await session.send('Performance.enable', { timeDomain });
  return session;
}

async function taskTime(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value;
}
