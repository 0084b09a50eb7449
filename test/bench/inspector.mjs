// Measures the page of the inspector with a long timeline in Chromium: how it opens, scrolls, and goes through time.
//   npm run suite -- inspector-bench 50000
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../support/chromium.mjs';

const root = resolve(import.meta.dirname, '../..');
const messages = Number(process.argv[2] ?? 50_000);
const frames = 240;
const folder = await mkdtemp(join(tmpdir(), 'acp-inspector-bench-'));
const print = (line) => process.stdout.write(`${line}\n`);

/** Turns of one session: a prompt, thoughts, a tool call with a diff, and an answer in pieces. */
function* recording() {
  let t = 0;
  const record = (dir, msg) => JSON.stringify({ dir, t: t++, msg: { jsonrpc: '2.0', ...msg } });
  yield record('out', { id: 0, method: 'initialize', params: { protocolVersion: 1 } });
  yield record('in', { id: 0, result: { protocolVersion: 1 } });
  yield record('out', { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
  yield record('in', { id: 1, result: { sessionId: 's' } });
  const update = (body) =>
    record('in', { method: 'session/update', params: { sessionId: 's', update: body } });
  const chunk = (sessionUpdate, text) => update({ sessionUpdate, content: { type: 'text', text } });
  for (let id = 2; t < messages; id++) {
    const prompt = [{ type: 'text', text: `Question ${id}` }];
    yield record('out', { id, method: 'session/prompt', params: { sessionId: 's', prompt } });
    for (let part = 0; part < 4; part++) yield chunk('agent_thought_chunk', `Thought ${part} of ${id}. `);
    const toolCallId = `tool-${id}`;
    const diff = { type: 'diff', path: '/notes.md', oldText: 'one\ntwo\n', newText: `one\n${id}\n` };
    yield update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: `Edit ${id}`,
      kind: 'edit',
      status: 'pending',
    });
    yield update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content: [diff] });
    for (let part = 0; part < 12; part++)
      yield chunk('agent_message_chunk', `Part ${part} of the answer ${id}.\n`);
    yield record('in', { id, result: { stopReason: 'end_turn' } });
  }
}

async function writePage() {
  const outfile = join(folder, 'read.mjs');
  await build({
    entryPoints: [join(root, 'src/programs/inspector/timeline/read.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const { readTimeline } = await import(pathToFileURL(outfile).href);
  const items = await readTimeline([...recording()].join('\n'));
  const json = JSON.stringify([{ format: 1, title: 'long', items }]).replaceAll('<', '\\u003c');
  const page = await readFile(join(root, 'dist/inspector.html'), 'utf8');
  const path = join(folder, 'page.html');
  await writeFile(
    path,
    page.replace('id="timelines">', (place) => place + json),
  );
  print(`${items.length} items, ${(json.length / 1e6).toFixed(1)} MB`);
  return pathToFileURL(path).href;
}

/** Scrolls a list by so much in each frame. Returns the frames in a second, and the time of the main thread for a frame. */
async function scroll(page, debug, selector, step) {
  const taskMs = async () => {
    const { metrics } = await debug.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
  const before = await taskMs();
  const tookMs = await page.locator(selector).evaluate(
    (list, options) =>
      new Promise((done) => {
        list.scrollTop = 0;
        const start = performance.now();
        let frame = 0;
        const tick = () => {
          list.scrollTop += options.step;
          if (++frame < options.frames) requestAnimationFrame(tick);
          else done(performance.now() - start);
        };
        requestAnimationFrame(tick);
      }),
    { step, frames },
  );
  return { fps: (frames / tookMs) * 1000, cpuMs: ((await taskMs()) - before) / frames };
}

const browser = await chromium.launch(chromiumOptions());
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const url = await writePage();
  const start = performance.now();
  await page.goto(url);
  await page.locator('.row').first().waitFor();
  print(`opens in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  for (const [name, selector] of [
    ['wire', '.rows'],
    ['transcript', '.entries'],
  ]) {
    for (const step of [60, 240]) {
      const { fps, cpuMs } = await scroll(page, debug, selector, step);
      print(
        `${name}, ${step} px a frame: ${fps.toFixed(0)} frames a second, ${cpuMs.toFixed(1)} ms of CPU a frame`,
      );
    }
  }
  for (const part of [0.25, 0.5, 0.75]) {
    const ms = await page.locator('#time').evaluate(async (slider, place) => {
      const begin = performance.now();
      slider.value = Math.round(slider.max * place);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - begin;
    }, part);
    print(`to ${part * 100} % of the time: ${ms.toFixed(0)} ms`);
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
