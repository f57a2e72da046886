// The last index for which something holds that holds up to some index and not behind it, -1 when for none.
export function lastWhere(count, holds) {
  let low = -1;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

// The last index whose value is at or below x, -1 when there is none. `value(i)` grows.
export const lastAtOrBelow = (count, value, x) => lastWhere(count, (i) => value(i) <= x);
