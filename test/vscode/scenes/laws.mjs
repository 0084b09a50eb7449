import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { measure } from '../laws.mjs';

/** Where each law holds: a function opens the panel, with the agent of streams. */
const places = {
  law: async (stage) => {
    await stage.agent('streams.mjs');
    const workbench = await stage.open();
    await workbench.openPanel();
    return workbench;
  },
  'web law': (stage) => stage.openWeb('streams.mjs'),
};

const inEachPlace = (name, play) =>
  Object.entries(places).map(([kind, open]) => lawScene(kind, open, name, play));

function lawScene(kind, open, name, play) {
  return {
    name: `${kind}: ${name}`,
    async play(stage) {
      const { panel, page } = await open(stage);
      await play(stage, { panel, keyboard: page.keyboard });
      await stage.shootOnly(`${kind} ${name}`);
    },
  };
}

/** What must hold for an answer that grows, in milliseconds. */
const slow = { kbPerSecond: 20, seconds: 10, endMs: 1000, limits: { task: 100, key: 50 } };
const fast = { kbPerSecond: 200, seconds: 30, endMs: 2000, limits: { key: 100 } };

const stream =
  (shape, { kbPerSecond, seconds, endMs, limits }) =>
  (stage, { panel, keyboard }) =>
    measure(stage, {
      panel,
      keyboard,
      act: () => panel.ask(`stream ${shape} ${kbPerSecond} ${seconds}`),
      lastsMs: seconds * 1000,
      endMs,
      limits,
    });

/** A message of one block is as long as one of many blocks. */
const oneBlock = ['code', 'list', 'paragraph'].map((shape) =>
  lawScene('law', places.law, `200 KB in one message, ${shape}`, stream(shape, slow)),
);

/** More than a user can read: Cancel is answered at once. */
const cancelled = inEachPlace('cancel at 200 KB a second', (stage, { panel, keyboard }) =>
  measure(stage, {
    panel,
    keyboard,
    async act() {
      await panel.ask('stream mixed 200 300');
      await sleep(5000);
      await panel.cancel.click();
    },
    types: false,
    lastsMs: 20_000,
    endMs: 2000,
    limits: { click: 100 },
  }),
);

const lines = 35_000;
const changed = Math.ceil(lines / 3);
/** A number as it is written here, or with a sign between the thousands. */
const written = (number) => number.toLocaleString('en-US').replace(',', '\\W?');

/** A diff of 2 MB opens at once. What is too long is folded, and the counts are those of the whole. */
const diff = inEachPlace('a diff of 2 MB', async (stage, { panel, keyboard }) => {
  let shown;
  await measure(stage, {
    panel,
    keyboard,
    act: () => panel.ask(`diff ${lines}`),
    async afterwards() {
      const tool = await panel.openTool('Edit big.js');
      await tool.locator('[data-change=added]').first().waitFor({ state: 'attached' });
      shown = await tool.evaluate((element) => element.innerText);
    },
    types: false,
    endMs: 2000,
    limits: { task: 200 },
  });
  const counts = new RegExp(`\\+${written(changed)}\\s*-${written(changed)}`);
  assert.match(shown.slice(0, 300), counts, 'the header has the counts');
});

/** A command prints 10 MB while its output is open. */
const output = lawScene('law', places.law, '10 MB of terminal output', (stage, { panel, keyboard }) =>
  measure(stage, {
    panel,
    keyboard,
    async act() {
      await panel.ask('output 10 go');
      await panel.openTool('Print a lot');
      await stage.write('go', '');
    },
    async afterwards() {
      const tool = await panel.openTool('Print a lot');
      await tool.getByText('Line 0262144 of the output').first().waitFor({ state: 'attached' });
    },
    lastsMs: 60_000,
    endMs: 2000,
    limits: { task: 200, key: 100 },
  }),
);

/** The bridge of the web example has no terminals: the agent has run the command itself. */
const webOutput = lawScene('web law', places['web law'], '10 MB of output', (stage, { panel, keyboard }) =>
  measure(stage, {
    panel,
    keyboard,
    act: () => panel.ask('print 10'),
    async afterwards() {
      const tool = await panel.openTool('Print a lot');
      await tool.getByText('Line 0000001 of the output').first().waitFor({ state: 'attached' });
    },
    types: false,
    endMs: 2000,
    limits: { task: 200 },
  }),
);

export const laws = [
  ...inEachPlace('200 KB in one message, mixed', stream('mixed', slow)),
  ...oneBlock,
  ...inEachPlace('200 KB a second', stream('mixed', fast)),
  ...cancelled,
  ...diff,
  output,
  webOutput,
];
