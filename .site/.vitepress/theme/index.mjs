import DefaultTheme from 'vitepress/theme';
import { defineComponent, h } from 'vue';
import { useMainLandmark } from './landmarks.mjs';
import { LivePanel } from './live-panel.mjs';
import { TypePopup } from './type-popup.mjs';
import { VersionMenu } from './version-menu.mjs';
import './style.css';

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
