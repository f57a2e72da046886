// Light and dark. The colours stand in style.css; this reads them for canvases.

const listeners = [];
const system = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

export const series = ["blue", "orange", "green", "red", "violet", "teal", "brown", "ink"];

// The value of a colour of the style sheet: color("blue") reads --blue.
export function color(name) {
  return getComputedStyle(root).getPropertyValue(`--${name}`).trim();
}

// The same as { r, g, b }, each from 0 to 1, as it is shown: for shaders that write what is seen.
export function shownColor(name) {
  const hex = Number.parseInt(color(name).slice(1), 16);
  return { r: (hex >> 16) / 255, g: ((hex >> 8) & 255) / 255, b: (hex & 255) / 255 };
}

export function listen(listener) {
  listeners.push(listener);
}

export function forget() {
  listeners.length = 0;
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
