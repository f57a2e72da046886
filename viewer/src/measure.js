// What a record says about an expectation.
import { lastAtOrBelow } from "./search.js";

function valueAt(t, values, time) {
  if (Number.isNaN(time)) return NaN;
  const low = Math.min(Math.max(lastAtOrBelow(t.length, (i) => t[i], time), 0), t.length - 1);
  const high = Math.min(low + 1, t.length - 1);
  if (time <= t[low] || high === low) return values[low];
  return values[low] + ((time - t[low]) / (t[high] - t[low])) * (values[high] - values[low]);
}

const fits = ([law, constraint], [, index, became]) => index === law && became === constraint;

// NaN: it never happened.
function timeOf(events, wanted) {
  let left = wanted[2];
  for (const event of events) if (fits(wanted, event) && --left === 0) return event[0];
  return NaN;
}

// Switches that do not follow the order; NaN when not even one whole round of it is there.
function disorder(events, order) {
  const first = events.findIndex((event) => fits(order[0], event));
  const from = first < 0 ? [] : events.slice(first);
  if (from.length < order.length) return NaN;
  return from.filter((event, i) => !fits(order[i % order.length], event)).length;
}

// curve(formula): its values in all states.
export function measure({ value, over, at = Infinity, event, since, order }, { events, curve }) {
  if (value === undefined) return disorder(events, order);
  const values = curve(value);
  if (!values.length) return NaN;
  const known = values.filter((v) => !Number.isNaN(v));
  if (over === "least") return known.reduce((least, v) => Math.min(least, v), known[0] ?? NaN);
  if (over === "largest") return known.reduce((most, v) => Math.max(most, v), known[0] ?? NaN);
  const t = curve("t");
  const here = valueAt(t, values, event ? timeOf(events, event) : at);
  return since ? here - valueAt(t, values, timeOf(events, since)) : here;
}
