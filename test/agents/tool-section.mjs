/** A report of an agent, with the steps and the faults of its run with tools of the editor. */
export function withTools(report, tools) {
  const runs = Object.entries(report.runs).map(([version, run]) => {
    const { steps = {}, faults = [] } = tools?.runs[version] ?? {};
    return [version, { ...run, steps: { ...run.steps, ...steps }, faults: [...run.faults, ...faults] }];
  });
  return { ...report, runs: Object.fromEntries(runs) };
}
