import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { compile } from 'svelte/compiler';
import { expect, test } from 'vitest';
import { root } from '../package/entries.ts';
import { sharedBrowser } from './browser.ts';

const page = readFileSync(join(root, 'docs/frameworks.md'), 'utf8');
/** The functions of the page, by the name of their file. */
const functions = new Map(
  [...page.matchAll(/<!-- file: (\S+) -->\n```ts\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [
    file,
    code,
  ]),
);

const svelteComponent = `<script>
  import { fromSource } from 'docs:svelte.ts';
  let { store, textOf } = $props();
  const conversation = fromSource(store);
</script>
<p id="svelte">{conversation.current.entries.map(textOf).join('|')}</p>`;

/** A page that draws one store with each framework, and ends all of them. */
const program = `
import { createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot as reactRoot } from 'react-dom/client';
import { createEffect, createRoot as solidRoot } from 'solid-js';
import { flushSync as svelteFlush, mount, unmount } from 'svelte';
import { createApp, h, nextTick } from 'vue';
import { emptyConversation } from './src/core/conversation/fold.ts';
import { createConversationStore } from './src/core/conversation/store.ts';
import { textOf } from './src/core/conversation/select.ts';
import App from 'docs:app.svelte';
import { useSource as useReact } from 'docs:react.ts';
import { fromSource as fromSolid } from 'docs:solid.ts';
import { useSource as useVue } from 'docs:vue.ts';

const inner = createConversationStore(emptyConversation('s'));
let listeners = 0;
const store = {
  getSnapshot: inner.getSnapshot,
  subscribe(listener) {
    listeners++;
    const stop = inner.subscribe(listener);
    return () => { listeners--; stop(); };
  },
};
const shown = (conversation) => conversation.entries.map(textOf).join('|');
const place = (id) => document.body.appendChild(Object.assign(document.createElement('div'), { id: id + '-root' }));

const react = reactRoot(place('react'));
const React = () => createElement('p', { id: 'react' }, shown(useReact(store)));
flushSync(() => react.render(createElement(React)));
const vue = createApp({ setup() {
  const conversation = useVue(store);
  return () => h('p', { id: 'vue' }, shown(conversation.value));
} });
vue.mount(place('vue'));
const svelte = mount(App, { target: place('svelte'), props: { store, textOf } });
const endSolid = solidRoot((dispose) => {
  const conversation = fromSolid(store);
  const text = place('solid').appendChild(Object.assign(document.createElement('p'), { id: 'solid' }));
  createEffect(() => { text.textContent = shown(conversation()); });
  return dispose;
});
Object.assign(window, {
  say: (text, messageId) => inner.apply(
    { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } },
  ),
  listeners: () => listeners,
  async end() {
    flushSync(() => react.unmount());
    vue.unmount();
    await unmount(svelte);
    endSolid();
    await nextTick();
  },
});
`;

const browser = sharedBrowser();

test('React, Vue, Svelte and Solid draw a conversation, and leave no listener', async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    format: 'iife',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [
      {
        name: 'docs',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^docs:/ }, ({ path }) => ({ path: path.slice(5), namespace: 'docs' }));
          onLoad({ filter: /.*/, namespace: 'docs' }, ({ path }) => {
            if (path !== 'app.svelte')
              return { contents: functions.get(path) ?? '', loader: 'ts', resolveDir: root };
            const { js } = compile(svelteComponent, { generate: 'client' });
            return { contents: js.code, loader: 'js', resolveDir: root };
          });
        },
      },
    ],
  });
  const problems: string[] = [];
  const opened = await browser.open({ problems });
  await opened.setContent('<body></body>');
  await opened.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  const names = ['react', 'vue', 'svelte', 'solid'];
  const show = async (text: string) => {
    for (const name of names)
      await opened.locator(`#${name}`, { hasText: new RegExp(`^${text}$`) }).waitFor({ state: 'attached' });
  };
  await show('');
  await opened.evaluate(`say('One', 'm1')`);
  await show('One');
  await opened.evaluate(`say(' and more', 'm1'); say('Two', 'm2')`);
  await show('One and more\\|Two');
  expect(await opened.evaluate('listeners()')).toBe(4);
  await opened.evaluate('end()');
  expect(await opened.evaluate('listeners()')).toBe(0);
  expect(problems).toEqual([]);
  await opened.close();
});
