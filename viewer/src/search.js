// The last index whose value is at or below x, -1 when there is none. `value(i)` grows.
export function lastAtOrBelow(count, value, x) {
  let low = -1;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (value(middle) <= x) low = middle;
    else high = middle;
  }
  return low;
}
