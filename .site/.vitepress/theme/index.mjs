import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h, nextTick, onMounted, watch } from 'vue';
import { LivePanel } from './live-panel.mjs';
import { TypePopup } from './type-popup.mjs';
import { VersionMenu } from './version-menu.mjs';
import './style.css';

/** Names the main part of pages in which the theme does not: the start page, and the page that is not found. */
function useMainLandmark() {
  const route = useRoute();
  const mark = async () => {
    await nextTick();
    const content = document.getElementById('VPContent');
    if (content?.querySelector('main')) content.removeAttribute('role');
    else content?.setAttribute('role', 'main');
  };
  onMounted(mark);
  watch(() => route.data, mark);
}

const Layout = defineComponent(() => {
  useMainLandmark();
  return () => [
    h(DefaultTheme.Layout, null, { 'nav-bar-content-after': () => h(VersionMenu) }),
    h(TypePopup),
  ];
});

// biome-ignore lint/style/noDefaultExport: VitePress reads the theme from the default export.
export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component('LivePanel', LivePanel);
  },
};
