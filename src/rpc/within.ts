/** The longest delay that a timer takes; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Whether `event` settles within `ms`. The timer is gone either way. */
export async function within(event: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = event.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
