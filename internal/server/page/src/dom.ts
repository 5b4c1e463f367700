// Creates and finds elements.

type Child = Node | string | null | undefined | false;
type Handler = (event: Event) => void;
type Attributes = Record<string, string | number | boolean | Handler | undefined>;

/** fill sets attributes and appends children. A function is the handler of the event of that name; false and
 * undefined leave an attribute out, true sets an empty one. */
function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** h makes an HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** s makes an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/** find returns the element that a selector names, which the page is known to have. */
export function find<E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E {
  const element = root.querySelector<E>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** The milliseconds after which work in turns lets the page do what it has been asked for. */
const turn = 6;

/** inTurns does something with each item in as many tasks as it takes for the page to answer meanwhile. */
export async function inTurns<T>(items: T[], work: (item: T) => void): Promise<void> {
  let begun = performance.now();
  for (const item of items) {
    if (performance.now() - begun > turn && !document.hidden) {
      await new Promise((done) => setTimeout(done));
      begun = performance.now();
    }
    work(item);
  }
}

/** rove lets the arrow keys move the focus along a list in which the Tab key reaches one element (a roving tabindex). The
 * list's element is given again and again as it changes; keys maps a key to a distance. */
export function rove(root: HTMLElement, items: () => HTMLElement[], keys: Record<string, number>): void {
  root.addEventListener("keydown", (event) => {
    const all = items();
    const from = all.indexOf(document.activeElement as HTMLElement);
    if (from < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const ends: Record<string, number> = { Home: 0, End: all.length - 1 };
    const to = ends[event.key] ?? from + (keys[event.key] ?? NaN);
    const next = all[to];
    if (!next) return;
    event.preventDefault();
    for (const item of all) item.tabIndex = item === next ? 0 : -1;
    next.focus();
  });
}

/** copy puts text on the clipboard and says whether that worked. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** copySelected is for old browsers, and for pages served neither over TLS nor from this machine. */
function copySelected(text: string): boolean {
  const area = h("textarea", { class: "hidden", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
