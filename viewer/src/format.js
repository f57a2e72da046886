// Numbers and elements for people.

export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${String(Number(mantissa))}e${Number(power)}`.replace("-", "−");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

// A time with as many decimals as a run of this length deserves.
export function time(value, duration) {
  const decimals = Math.min(Math.max(4 - Math.floor(Math.log10(duration || 1)), 2), 6);
  return value.toFixed(decimals);
}

// An element with attributes, its text or its children.
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}
