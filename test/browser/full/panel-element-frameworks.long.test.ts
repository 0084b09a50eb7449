import { resolve } from 'node:path';
import { build } from 'esbuild';
import { compile } from 'svelte/compiler';
import { expect, test } from 'vitest';
import { says } from '../../support/asking-agent.ts';
import { answeringHost } from '../panel-hosts.ts';
import { panelSite, say } from '../panel-page.ts';

const root = resolve(import.meta.dirname, '../../..');
const site = panelSite();

/** How each framework draws the element with a panel in a place of the page. It returns how the element is removed. */
const programs = {
  react: `
    import { createElement } from 'react';
    import { flushSync } from 'react-dom';
    import { createRoot } from 'react-dom/client';
    export function draw(place, panel) {
      const drawn = createRoot(place);
      flushSync(() => drawn.render(createElement('acp-panel', { panel })));
      return () => flushSync(() => drawn.unmount());
    }`,
  vue: `
    import { createApp, h } from 'vue';
    export function draw(place, panel) {
      const app = createApp({ render: () => h('acp-panel', { panel }) });
      app.mount(place);
      return () => app.unmount();
    }`,
  svelte: `
    import { mount, unmount } from 'svelte';
    import App from 'app.svelte';
    export function draw(place, panel) {
      const drawn = mount(App, { target: place, props: { panel } });
      return () => unmount(drawn);
    }`,
  solid: `
    import { render } from 'solid-js/web';
    import h from 'solid-js/h';
    export const draw = (place, panel) => render(() => h('acp-panel', { panel }), place);`,
};

const svelteComponent = '<script>let { panel } = $props();</script><acp-panel {panel}></acp-panel>';

/** The program for a page, which defines `draw`. */
async function bundled(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'framework',
    conditions: ['browser'],
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [
      {
        name: 'svelte',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^app\.svelte$/ }, ({ path }) => ({ path, namespace: 'svelte' }));
          onLoad({ filter: /.*/, namespace: 'svelte' }, () => {
            const { js } = compile(svelteComponent, { generate: 'client' });
            return { contents: js.code, loader: 'js', resolveDir: root };
          });
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

test.each(Object.entries(programs))(
  '%s sets the panel as a property, and lets it go when it removes the element',
  async (_, program) => {
    const { page } = await site.open({
      hosts: [answeringHost((agent) => agent.update('s1', says('I like tea.')))],
      body: '<div id="place"></div>',
      run: `import('/dist/panel-element.js')`,
    });
    // The browser's debugger runs it: the policy of the page allows no other script.
    await page.evaluate(`${await bundled(program)};
      globalThis.panel = connectTo(0);
      globalThis.remove = framework.draw(document.querySelector('#place'), panel);`);
    await say(page, 'Tea?');
    await page.getByText('I like tea.').waitFor();
    expect(await page.evaluate('panel.listeners()')).toBeGreaterThan(0);
    await page.evaluate('remove()');
    await page.locator('acp-panel').waitFor({ state: 'detached' });
    expect(await page.evaluate('panel.listeners()')).toBe(0);
  },
);
