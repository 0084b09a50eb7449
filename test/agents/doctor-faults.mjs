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
