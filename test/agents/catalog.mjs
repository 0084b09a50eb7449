import { claude, claudeAgentZed, claudeSudocode, claudeZed } from './agents/claude.mjs';
import { cline } from './agents/cline.mjs';
import { codex, codexZed } from './agents/codex.mjs';
import { copilot, copilotLanguageServer } from './agents/copilot.mjs';
import { gemini, qwen } from './agents/gemini.mjs';
import { grok } from './agents/grok.mjs';
import { nanocoder } from './agents/nanocoder.mjs';
import { kilo, opencode } from './agents/opencode.mjs';
import { omp, pi } from './agents/pi.mjs';
import { sdk } from './agents/sdk.mjs';
import { auggie, droid, qoder } from './agents/with-login.mjs';

/** The variable with other versions than those of the page, by package. `--latest` sets it for the run that it starts. */
export const versionsVariable = 'ACP_AGENTS_VERSIONS';
const otherVersions = JSON.parse(process.env[versionsVariable] ?? '{}');

function inOtherVersion(item) {
  const name = item.slice(0, item.lastIndexOf('@'));
  return name in otherVersions ? `${name}@${otherVersions[name]}` : item;
}

/**
 * The agents of the suite, in the order of the page. Each has:
 *
 * - `name`: its name on the command line;
 * - `package`: the npm package with its version, and `sizeMiB`: its size with all dependencies; `alsoInstalled`: further
 *   packages; `afterInstall`: prepares the installed files;
 * - `known`: its id in the registry, its name for users, its program, and the arguments with which it speaks the protocol:
 *   for the list of `knownAgents`. Absent for an agent that finishes no turn here, and for one that another one replaces;
 * - `listed`: the same of another agent that users have, for the page about agents: without an id if the registry does not
 *   have it, and `isPinned` if only this version starts;
 * - `nodeMajor`: the version of Node.js that it needs. Default: 20;
 * - `protocolVersions`: the versions that it speaks. Each is run through the scenario;
 * - `launch`: writes its configuration into a clean home and returns its command. `apiKey` is `undefined` for none;
 * - `serve`: returns the command of the agent's own server for other machines, if it has one, with the `path` of
 *   its URL and `isReady`, which knows the line that says that it has started, and `replayAfterMs`;
 * - `remark`: what the page says of its installation;
 * - `varies`: what it does on some runs only, with the reason;
 * - what it needs from an editor: `fileSystem` options, `reloadAfterMs`, `promptAfterReloadMs`.
 */
export const catalog = [
  codex,
  opencode,
  kilo,
  sdk,
  claude,
  claudeZed,
  claudeAgentZed,
  claudeSudocode,
  codexZed,
  copilot,
  copilotLanguageServer,
  gemini,
  qwen,
  cline,
  pi,
  omp,
  nanocoder,
  grok,
  droid,
  auggie,
  qoder,
].map(({ package: own, alsoInstalled, ...agent }) => ({
  ...agent,
  package: inOtherVersion(own),
  ...(alsoInstalled && { alsoInstalled: alsoInstalled.map(inOtherVersion) }),
}));

/** What `knownAgents` has of the agents, in the order of the page. */
export const testedAgents = catalog.flatMap(({ known, ...agent }) => described(known, agent));

/** The agents of the registry of which only the start is known, with the same fields. */
export const listedAgents = catalog.flatMap(({ listed, ...agent }) =>
  listed?.id === undefined ? [] : described(listed, agent),
);

function described(start, agent) {
  if (!start) return [];
  return [
    { ...start, package: agent.package.slice(0, agent.package.lastIndexOf('@')), version: versionOf(agent) },
  ];
}

/** The version in `package`. */
export function versionOf(agent) {
  return agent.package.slice(agent.package.lastIndexOf('@') + 1);
}

/** The name of a folder or a file for this version of the agent. */
export function labelOf(agent) {
  return `${agent.name}-${versionOf(agent)}`;
}

/**
 * Replaces the outcomes that are known to vary, so that each run gives the same page. An outcome that is not in the list
 * of known ones stays, and differs from the page.
 *
 * The list `varies` of an agent has items `{ version, step, outcomes, noted, reason }` for the outcome of a step, and
 * `{ version, habit, reason }` for a habit. `noted` is how the note of a step begins that does not work: another note is
 * another fault.
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
