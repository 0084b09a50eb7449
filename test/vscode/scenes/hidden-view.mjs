import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const seconds = 10;
/** The host may ask the page a few times whether it is there again, at growing distances. */
const most = { count: 8, bytes: 16_384 };

/** While the view is hidden, an answer of 2 MB costs the host nothing. It is there when the view is shown again. */
export const hiddenView = {
  name: 'law: a hidden view costs the host nothing',
  async play(stage) {
    await stage.agent('streams.mjs');
    const { panel, posts, ...workbench } = await stage.open();
    await workbench.openPanel();
    const visible = { ...posts };
    await panel.ask(`stream mixed 200 ${seconds}`);
    await panel.shows('Part 1');
    assert.ok(posts.count > visible.count, 'the posts to a view that is shown are counted');
    await workbench.show(/^Explorer/);
    await panel.prompt.waitFor({ state: 'hidden' });
    // What was on its way arrives.
    await sleep(500);
    const before = { ...posts };
    await sleep(seconds * 1000);
    const hidden = { count: posts.count - before.count, bytes: posts.bytes - before.bytes };
    stage.note(
      `${hidden.count} posts with ${hidden.bytes} bytes in ${seconds} s in which the view was hidden`,
    );
    await workbench.show(/^Agent/);
    await panel.shows(/Finished\d/);
    await panel.idle();
    assert.ok(hidden.count <= most.count && hidden.bytes <= most.bytes, JSON.stringify(hidden));
  },
};
