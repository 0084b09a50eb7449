import { defineComponent, h, onMounted, onUnmounted, ref } from 'vue';

/** The name that a key leads to, from the one whose type is shown. */
const steps = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * Shows the type of a name in a sample: of the one under the pointer, or, when the sample has the focus, of the one that
 * the arrow keys choose. The sample has the texts.
 */
export const TypePopup = defineComponent(() => {
  const shown = ref(null);
  let marked = null;

  const show = (name) => {
    marked?.classList.remove('chosen');
    marked = name;
    if (!name) {
      shown.value = null;
      return;
    }
    name.classList.add('chosen');
    const { left, top, bottom } = name.getBoundingClientRect();
    const texts = name.closest('[class*="language-"]')?.querySelector('.types');
    const html = texts?.children[name.dataset.type]?.innerHTML ?? '';
    const isLow = bottom > innerHeight * 0.6;
    shown.value = {
      html,
      style: {
        left: `${Math.max(8, Math.min(left, innerWidth - 8 - Math.min(560, innerWidth - 16)))}px`,
        ...(isLow ? { bottom: `${innerHeight - top + 4}px` } : { top: `${bottom + 4}px` }),
      },
    };
  };
  const onPointer = ({ target }) => {
    const name = target instanceof Element ? target.closest('.typed') : null;
    const isPopup = target instanceof Element && target.closest('.type-popup');
    if (name !== marked && !isPopup) show(name);
  };
  const onKey = (event) => {
    if (event.key === 'Escape') return show(null);
    const sample = document.activeElement?.closest('pre');
    const step = steps[event.key];
    const names = [...(sample?.querySelectorAll('.typed') ?? [])];
    if (step === undefined || names.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = names.indexOf(marked);
    const next = names[from === -1 ? 0 : (from + step + names.length) % names.length];
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    show(next);
  };
  const hide = () => show(null);
  const listeners = { pointerover: onPointer, keydown: onKey, focusout: hide };
  onMounted(() => {
    for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener);
    addEventListener('scroll', hide, { passive: true });
  });
  onUnmounted(() => {
    for (const [type, listener] of Object.entries(listeners)) document.removeEventListener(type, listener);
    removeEventListener('scroll', hide);
  });
  return () =>
    h('div', { class: 'type-popup', role: 'status' }, [
      shown.value && h('div', { class: 'vp-code', style: shown.value.style, innerHTML: shown.value.html }),
    ]);
});
