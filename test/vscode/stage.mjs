import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from './install.mjs';
import { themeNames } from './themes.mjs';
import { openWebExample } from './web-example.mjs';
import { openWorkbench } from './workbench.mjs';

/** What a scene gets: a folder for its workspace, the editor, and a camera. */
export async function createStage({ name, browser, server, folder, shots, theme }) {
  const project = await mkdtemp(join(folder, 'project-'));
  const stage = {
    name,
    project,
    /** What was seen, for the report. */
    notes: [],
    themesSeen: new Set(),
    faults: [],
    /** What axe-core found, with the pictures in which it did. */
    barriers: new Map(),
    path: (file) => join(project, file),
    async write(file, text) {
      await mkdir(dirname(join(project, file)), { recursive: true });
      await writeFile(join(project, file), text);
      return join(project, file);
    },
    read: (file) => readFile(join(project, file), 'utf8').catch(() => undefined),
    note: (text) => stage.notes.push(text),
    /** The agent that the panel starts: a program of `agents`. Without one, the demo agent. */
    async agent(program, ...args) {
      await server.setMachine({ 'agentPanel.command': agentCommand(program, args) });
    },
    async open({ query = `folder=${project}`, settings } = {}) {
      stage.workbench = await openWorkbench({ browser, server, query, theme, settings });
      return stage.workbench;
    },
    /** Opens docs/examples/web instead of the editor, with a program of `agents`. */
    async openWeb(program, ...args) {
      const agent = agentCommand(program, args);
      stage.workbench = await openWebExample({ browser, folder, agent, cwd: project });
      return stage.workbench;
    },
    server,
    /** Takes a picture in the theme of the scene, and checks the panel with axe-core. */
    async shoot(title) {
      await shootIn(theme, title);
    },
    /** Takes a picture only: axe-core takes minutes for thousands of entries. */
    async shootOnly(title) {
      await pictureIn(theme, title);
    },
    /** As `shoot`, in each theme. */
    async shootInEachTheme(title) {
      for (const next of themeNames) {
        await stage.workbench.setTheme(next);
        await shootIn(next, title);
      }
      await stage.workbench.setTheme(theme);
    },
  };
  async function shootIn(shown, title) {
    const file = await pictureIn(shown, title);
    const { panel } = stage.workbench;
    if (!(await panel.prompt.isVisible())) return;
    for (const fault of await accessibilityFaults(await panel.content())) {
      stage.barriers.set(fault, [...(stage.barriers.get(fault) ?? []), file]);
    }
  }

  async function pictureIn(shown, title) {
    const { page } = stage.workbench;
    stage.themesSeen.add(shown);
    const file = `${title.replaceAll(/\W+/g, '-')}.${shown}.png`;
    // A hint at the pointer would be in the picture.
    await page.mouse.move(0, 0);
    await page.locator('.workbench-hover').first().waitFor({ state: 'hidden' });
    await page.screenshot({ path: join(shots, file) });
    return file;
  }
  return stage;
}

const agentCommand = (program, args) => [
  process.execPath,
  fileURLToPath(new URL(`agents/${program}`, import.meta.url)),
  ...args,
];

/** What axe-core finds in a frame: a line for each element with a fault. */
async function accessibilityFaults(frame) {
  const source = await readFile(programs.axe, 'utf8');
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(source);
  const { violations } = await frame.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }),
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      // Without the headline, and on one line.
      const reasons = failureSummary
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
      return `${id}: ${help}: ${target.join(' ')}: ${reasons.join('; ')}`;
    }),
  );
}
