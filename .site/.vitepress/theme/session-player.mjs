import { useData, withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';

/** A recorded session that plays: the transcript of the viewer, in the colors of the page. */
export const SessionPlayer = defineComponent(
  ({ name, step }) => {
    const { isDark } = useData();
    // The colors are known in the browser only.
    const isMounted = ref(false);
    onMounted(() => {
      isMounted.value = true;
    });
    return () => {
      const theme = isDark.value ? 'dark' : 'light';
      const address = `recording=recordings/${name}.json.gz&step=${step}&only=transcript&play=1&theme=${theme}`;
      const src = isMounted.value ? withBase(`/viewer.html#${address}`) : undefined;
      // Another fragment alone would not load the page again.
      return h('iframe', { key: theme, src, title: 'A recorded session that plays' });
    };
  },
  { props: ['name', 'step'] },
);
