import { useRoute } from 'vitepress';
import { nextTick, onMounted, watch } from 'vue';

/** Names the main part of pages in which the theme does not: the start page, and the page that is not found. */
export function useMainLandmark() {
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
