/** How long nothing new is drawn before parts out of view are filled, in milliseconds. */
const quietMs = 500;

/** How long parts are filled in one task, and the pause after it, in milliseconds: the user's input comes first. */
const sliceMs = 8;
const pauseMs = 40;

/**
 * Parts of the transcript that wait for their content: what comes faster than it can be drawn is filled later. What comes
 * near the view is filled first, and the rest while nothing new arrives.
 */
export class LateParts {
  /** How each part is filled, by the element that the browser observes for it. */
  readonly #places = new Map<Element, Map<Element, () => unknown>>();
  readonly #placeOf = new WeakMap<Element, Element>();
  readonly #near = new Set<Element>();
  /** The places in each section. Only those in a section near the view are observed: each one takes time in each frame. */
  readonly #sections = new Map<Element, Set<Element>>();
  readonly #nearSections = new Set<Element>();
  readonly #observer: IntersectionObserver;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param scroller - What scrolls. `null` for the page. */
  constructor(scroller: Element | null) {
    this.#observer = new IntersectionObserver((changes) => this.#see(changes), {
      root: scroller,
      rootMargin: '50% 0px',
    });
  }

  /** @param place - What is observed for the part: itself, or an element with several parts. It is in a section. */
  add(part: Element, place: Element, fill: () => unknown): void {
    this.remove(part);
    const parts = this.#places.get(place) ?? new Map<Element, () => unknown>();
    if (parts.size === 0) this.#addPlace(place);
    this.#places.set(place, parts.set(part, fill));
    this.#placeOf.set(part, place);
    part.classList.add('late');
  }

  /** The part is drawn, or gone. */
  remove(part: Element): void {
    const place = this.#placeOf.get(part);
    const parts = place && this.#places.get(place);
    if (!place || !parts?.delete(part)) return;
    part.classList.remove('late');
    if (parts.size === 0) this.#removePlace(place);
  }

  /** Something new was drawn. What is out of view waits until nothing new arrives. */
  postpone(): void {
    if (this.#places.size > 0) this.#fillAfter(this.#near.size > 0 ? 0 : quietMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
  }

  #addPlace(place: Element): void {
    const section = sectionOf(place);
    const places = this.#sections.get(section) ?? new Set();
    if (places.size === 0) this.#observer.observe(section);
    this.#sections.set(section, places.add(place));
    if (this.#nearSections.has(section)) this.#observer.observe(place);
  }

  #removePlace(place: Element): void {
    const section = sectionOf(place);
    this.#places.delete(place);
    this.#near.delete(place);
    this.#observer.unobserve(place);
    const places = this.#sections.get(section);
    places?.delete(place);
    if (places?.size !== 0) return;
    this.#sections.delete(section);
    this.#nearSections.delete(section);
    this.#observer.unobserve(section);
  }

  #see(changes: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of changes) {
      const places = this.#sections.get(target);
      if (places) this.#seeSection(target, places, isIntersecting);
      else if (!isIntersecting) this.#near.delete(target);
      else if (this.#places.has(target)) this.#near.add(target);
    }
    if (this.#near.size > 0) this.#fillAfter(0);
  }

  #seeSection(section: Element, places: ReadonlySet<Element>, isNear: boolean): void {
    if (isNear) this.#nearSections.add(section);
    else this.#nearSections.delete(section);
    for (const place of places) {
      if (isNear) this.#observer.observe(place);
      else {
        this.#observer.unobserve(place);
        this.#near.delete(place);
      }
    }
  }

  #fillAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fill(), ms);
  }

  #fill(): void {
    const start = performance.now();
    const isNear = this.#near.size > 0;
    while (performance.now() - start < sliceMs && isNear === this.#near.size > 0) {
      const [place] = isNear ? this.#near : this.#places.keys();
      const [next] = (place && this.#places.get(place)) ?? [];
      if (!next) return;
      const [part, fill] = next;
      this.remove(part);
      fill();
    }
    if (isNear) this.postpone();
    else if (this.#places.size > 0) this.#fillAfter(pauseMs);
  }
}

function sectionOf(place: Element): Element {
  return place.closest('.section') as Element; // MarkdownView has each block in one.
}
