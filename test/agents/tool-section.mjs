/** A report of an agent, with the steps and the faults of its run with tools of the editor. */
export function withTools(report, tools) {
  const runs = Object.entries(report.runs).map(([version, run]) => {
    const { steps = {}, faults = [] } = tools?.runs[version] ?? {};
    return [version, { ...run, steps: { ...run.steps, ...steps }, faults: [...run.faults, ...faults] }];
  });
  return { ...report, runs: Object.fromEntries(runs) };
}

/** The row of the table that says how an agent names the tool call of the transcript. */
export function linkRow(columns) {
  const cells = columns.map(({ run }) => {
    const { outcome, linked } = run.steps.tools ?? {};
    if (linked !== undefined) return `\`${linked}\``;
    return outcome === 'works' || outcome === 'varies' ? '–' : '';
  });
  return ['its call is named in `_meta` by', ...cells];
}

/** What the rows about tools mean. */
export const toolsText = `The rows about a tool of the editor are runs of one program with three tools (\`toolServer\` of
\`acp-client-sdk/tools\`), which is the same for each agent. The model calls them under the names that the agent gives
them; the call reaches \`run\` with its session, and text and structured output reach the model; \`session.cancel()\` aborts
a call; the agent is killed during another call, which is reported; afterwards no port is open and no process is left. The
cell names the way that the library chose. \`the same over stdio\` is empty where the agent takes no other way. The last
row has the key under which the agent names the tool call of the transcript, so that \`run\` gets its \`toolCallId\`.
\`npm run suite -- agents --tools\` runs this part alone.`;
