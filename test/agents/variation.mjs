/**
 * Replaces the outcomes that are known to vary, so that each run gives the same page. An outcome that is not in the list
 * of known ones stays, and differs from the page.
 *
 * @param agent - An agent of the catalog. Its list `varies` has items `{ version, step, outcomes, noted, reason }` for the
 *   outcome of a step, and `{ version, habit, reason }` for a habit. `noted` is how the note of a step begins that does not
 *   work: another note is another fault.
 */
export function withKnownVariation({ varies = [] }, report) {
  const runs = Object.entries(report.runs).map(([version, run]) => {
    const known = varies.filter((variation) => String(variation.version) === version);
    return [version, { ...run, steps: stepsOf(run, known), ...habitsOf(run, known) }];
  });
  return { ...report, runs: Object.fromEntries(runs) };
}

function stepsOf({ steps }, known) {
  const varying = known
    .filter(({ step, outcomes, noted = '' }) => {
      const { outcome, note = '' } = steps[step] ?? {};
      return outcomes?.includes(outcome) && (outcome === 'works' || note.startsWith(noted));
    })
    .map(({ step, reason }) => [step, { ...steps[step], outcome: 'varies', note: reason }]);
  return { ...steps, ...Object.fromEntries(varying) };
}

function habitsOf({ habits }, known) {
  const varying = known.filter(({ habit }) => habit !== undefined);
  const isSteady = (id) => !varying.some(({ habit }) => habit === id);
  return {
    habits: habits.filter(isSteady),
    varyingHabits: varying.map(({ habit, reason }) => `\`${habit}\`, ${reason}`),
  };
}
