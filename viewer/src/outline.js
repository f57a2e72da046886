// Points of the things that are drawn with lines.

export function circle(sides = 64) {
  const points = [];
  for (let i = 0; i <= sides; i++) {
    const angle = (2 * Math.PI * i) / sides;
    points.push([Math.cos(angle), Math.sin(angle), 0]);
  }
  return points;
}

export const square = [
  [-0.5, -0.5, 0],
  [0.5, -0.5, 0],
  [0.5, 0.5, 0],
  [-0.5, 0.5, 0],
  [-0.5, -0.5, 0],
];

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const along = (a, d, s, n, w) => [a[0] + s * d[0] + w * n[0], a[1] + s * d[1] + w * n[1], a[2] + s * d[2] + w * n[2]];

// Left-hand normal in the plane, of unit length.
function normalOf(d) {
  const length = Math.hypot(d[0], d[1]) || 1;
  return [-d[1] / length, d[0] / length, 0];
}

// A zigzag between two points, with short straight ends.
export function spring(a, b, radius, turns) {
  const d = minus(b, a);
  const n = normalOf(d);
  const points = [a, along(a, d, 0.1, n, 0)];
  for (let i = 0; i < 2 * turns; i++) {
    const s = 0.1 + (0.8 * (i + 0.5)) / (2 * turns);
    points.push(along(a, d, s, n, i % 2 ? -radius : radius));
  }
  points.push(along(a, d, 0.9, n, 0), b);
  return points;
}

// Short strokes on the right-hand side of a polyline: pairs of points.
export function hatch(points, spacing) {
  const strokes = [];
  for (let i = 0; i + 1 < points.length; i++) {
    const d = minus(points[i + 1], points[i]);
    const length = Math.hypot(...d);
    const count = Math.max(1, Math.min(400, Math.round(length / spacing)));
    const n = normalOf(d);
    for (let k = 0; k < count; k++) {
      const from = along(points[i], d, (k + 0.6) / count, n, 0);
      const to = along(from, d, -(0.7 * spacing) / (length || 1), n, -0.7 * spacing);
      strokes.push(from, to);
    }
  }
  return strokes;
}
