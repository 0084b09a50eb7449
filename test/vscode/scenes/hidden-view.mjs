import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.mjs';

const seconds = 10;
/** The host may ask the page a few times whether it is there again, at growing distances. */
const most = { count: 8, bytes: 16_384 };

/** While the view is hidden, a long answer costs the host nothing. It is there when the view is shown again. */
export const hiddenView = {
  name: 'law: a hidden view costs the host nothing',
  async play(stage) {
    await stage.agent('streams.mjs');
    const { panel, posts, ...workbench } = await stage.open();
    await workbench.openPanel();
    const visible = { ...posts };
    await panel.ask('stream mixed 200 300');
    await panel.shows('Part 1');
    assert.ok(posts.count > visible.count, 'the posts to a view that is shown are counted');
    await workbench.show(/^Explorer/);
    await panel.prompt.waitFor({ state: 'hidden' });
    // The page can still take one change. It pauses for at most a second before.
    await until('the host is quiet', async () => {
      const { bytes } = posts;
      await sleep(2000);
      return posts.bytes - bytes <= most.bytes;
    });
    const before = { ...posts };
    await sleep(seconds * 1000);
    const hidden = { count: posts.count - before.count, bytes: posts.bytes - before.bytes };
    stage.note(
      `${hidden.count} posts with ${hidden.bytes} bytes in ${seconds} s in which the view was hidden`,
    );
    await workbench.show(/^Agent/);
    // The agent has sent all the time.
    await panel.cancel.click();
    await until('the end is shown', panel.lastWords, (words) => /Finished\d/.test(words));
    await panel.idle();
    assert.ok(hidden.count <= most.count && hidden.bytes <= most.bytes, JSON.stringify(hidden));
  },
};
