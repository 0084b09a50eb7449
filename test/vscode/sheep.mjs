import { until } from './until.mjs';

/** How far the demo agent has counted: after the prompt `slow`, it counts 500 sheep in about ten seconds. */
export async function sheepIn(panel) {
  const numbers = [...(await panel.text()).matchAll(/(\d+) 🐑/g)].map(([, number]) => Number(number));
  return Math.max(0, ...numbers);
}

/** Waits until the agent has counted more sheep than this. */
export const moreSheep = (panel, than) =>
  until(
    `more than ${than} sheep`,
    () => sheepIn(panel),
    (count) => count > than,
  );
