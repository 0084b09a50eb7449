import { useData, withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';

/** Leads to the documentation of another version. `versions.json` lists them; the one that is shown is marked. */
export const VersionMenu = defineComponent(() => {
  const { theme } = useData();
  const versions = ref([]);
  onMounted(async () => {
    const answer = await fetch(withBase('/versions.json'));
    if (answer.ok) versions.value = await answer.json();
  });
  const option = ({ version, link }) =>
    h('option', { value: link, selected: version === theme.value.version }, version);
  return () =>
    versions.value.length > 0 &&
    h(
      'select',
      {
        class: 'versions',
        'aria-label': 'Version',
        onChange: ({ target }) => {
          location.href = target.value;
        },
      },
      versions.value.map(option),
    );
});
