// Light and dark. The colours stand in style.css; this reads them for canvases.

const listeners = [];
const system = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

export const series = ["blue", "orange", "green", "red", "violet", "teal", "brown", "ink"];

// The value of a colour of the style sheet: color("blue") reads --blue.
export function color(name) {
  return getComputedStyle(root).getPropertyValue(`--${name}`).trim();
}

export function listen(listener) {
  listeners.push(listener);
}

export function set(theme) {
  root.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function toggle() {
  set(root.dataset.theme === "dark" ? "light" : "dark");
}

set(system.matches ? "dark" : "light");
system.addEventListener("change", () => set(system.matches ? "dark" : "light"));
