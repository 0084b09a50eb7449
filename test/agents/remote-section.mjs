import { remoteSteps } from './scenario/steps.mjs';

/** The heading of the section. */
export const remoteHeading = 'Over the network';
const marks = { works: 'yes', lacks: '–', refuses: 'refused', differs: 'no', fault: '**fault**' };

/**
 * The section of the page about agents behind their own servers.
 *
 * @param results - What `run-remote.mjs` wrote, of each agent that has a server.
 */
export function remoteSection(results) {
  const columns = results.flatMap(({ name, runs }) =>
    Object.entries(runs).map(([transport, run]) => ({ name, transport, run })),
  );
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const heads = ['', ...columns.map(({ name, transport }) => `${name}, ${transport}`)];
  const rows = remoteSteps.map(({ id, title }) => [
    title,
    ...columns.map(({ run }) => marks[run.steps[id]?.outcome] ?? ''),
  ]);
  return `## ${remoteHeading}

An agent with a server of its own, such as \`qwen serve\`, is driven over streamable HTTP and over WebSocket, with a mock model,
on loopback. \`all TCP connections cut\`: the transcript stays, nothing is in it twice, and the session goes on afterwards.
\`npm run suite -- agents --remote\` runs this part alone. [How servers differ](remote-agents.md#how-servers-differ) compares them.

${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}

${columns.map(notes).join('\n\n')}`;
}

/** What is said of a step. Over HTTP, an answer and a replay come on two streams: which is first differs between runs. */
function noteOf(id, { outcome, note } = {}, transport) {
  const isEitherOrder = transport === 'HTTP' && id === 'load' && outcome === 'works';
  return isEitherOrder ? 'the answer and the replay come on two streams, in any order' : note;
}

function notes({ name, transport, run: { steps, losses, faults, rules } }) {
  const lines = remoteSteps
    .map(({ id, title }) => ({ title, note: noteOf(id, steps[id], transport) }))
    .filter(({ note }) => note)
    .map(({ title, note }) => `- ${title}: ${note}.`);
  return [
    `**${name}, ${transport}.** Diagnostics: ${rules.map((rule) => `\`${rule}\``).join(', ') || 'none'}.`,
    lines.join('\n'),
    losses.length > 0
      ? `Replay: ${losses.join('; ')}.`
      : 'Its replay gives the same conversation as the live session.',
    ...(faults.length > 0 ? [`**Faults of this library:** ${faults.join('; ')}.`] : []),
  ].join('\n\n');
}
