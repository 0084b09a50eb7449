/** The heading of the section. */
export const doctorHeading = 'What the doctor says';

/**
 * The section of the page about `acp-client doctor`.
 *
 * @param results - What `run-doctor.mjs` wrote, with `name`, of each agent that was run.
 */
export function doctorSection(results) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const heads = ['agent', 'version', 'protocol', 'login', 'session', 'because'];
  const rows = results.map(({ name, check }) => [name, ...cellsOf(check)]);
  return `## ${doctorHeading}

\`acp-client doctor\` checked each agent without a key. It sends no prompt. \`no\`: the agent says so, or refuses a session
because it needs a login. \`unknown\`: the agent opens a session and does not say whether it can be used; its section says
what the first prompt without a key ends with. The suite fails if the doctor says \`yes\`, does not say \`no\` where the agent
says so, does not find the program, or leaves a process behind. \`npm run suite -- agents --doctor\` runs this part alone.

${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}`;
}

function cellsOf(check) {
  const { version, protocolVersions, login, loginReason, session } = check;
  return [version ?? '–', protocolVersions.join(', '), login, session, inTable(loginReason)];
}

const maxLength = 140;

/** A text of an agent in a cell, without the port of the mock model. */
function inTable(text) {
  const shown = text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1').replaceAll('|', '\\|');
  return shown.length > maxLength ? `${shown.slice(0, maxLength).trimEnd()}…` : shown;
}

/**
 * What is wrong with what the doctor says.
 *
 * @param result - What `run-doctor.mjs` wrote.
 * @param withoutKey - What a start without a key ended with, in each version.
 */
export function doctorFaults({ code, check, stderr, leftovers }, withoutKey) {
  if (!check) return [`the doctor failed, ${code}: ${stderr.slice(-300)}`];
  const { found, login, problems, protocolVersions } = check;
  const refuses = withoutKey.some((note) => note.startsWith('session/new ends with error -32000'));
  const faults = [
    [!found, 'the program is not found'],
    [protocolVersions.length === 0, `it does not connect: ${problems[0]?.message}`],
    [login === 'yes', `the login is yes without a key: ${check.loginReason}`],
    [refuses && login !== 'no', `the login is ${login}, and the agent refuses a session without one`],
    [
      code !== (login === 'no' ? 4 : 0),
      `exit code ${code}: ${problems.map(({ message }) => message).join(' ')}`,
    ],
    [leftovers.length > 0, `left running: ${leftovers.join(', ')}`],
  ];
  return faults.flatMap(([isFault, what]) => (isFault ? [what] : []));
}
