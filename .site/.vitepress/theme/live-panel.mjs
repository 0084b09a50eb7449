import { defineComponent, h, onBeforeUnmount, onMounted, shallowRef } from 'vue';

/** Resolves when the page is there, with its pictures: the panel comes after it. */
const pageIsThere = () =>
  new Promise((resolve) => {
    if (document.readyState === 'complete') setTimeout(resolve);
    else addEventListener('load', () => setTimeout(resolve), { once: true });
  });

/** A panel with the demo agent, both in this page. Its content, a picture of it, is shown until its program is here. */
export const LivePanel = defineComponent((_props, { slots }) => {
  const demo = shallowRef();
  let isGone = false;
  onMounted(async () => {
    await pageIsThere();
    const { startDemo } = await import('../../demo-panel.mjs');
    const started = await startDemo();
    if (isGone) return started.close();
    demo.value = started;
  });
  onBeforeUnmount(() => {
    isGone = true;
    demo.value?.close();
  });
  return () =>
    h(
      'div',
      { class: 'live' },
      demo.value
        ? h('acp-panel', { panel: demo.value.panel, placeholder: 'Write “run”, “plan” or “crash”' })
        : slots.default?.(),
    );
});
