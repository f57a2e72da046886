// The modes of a law over time, from its switches and from the states between them.

// Switches know constraint and impressed only; the direction is that of the state beside.
const withDirection = (constraint, beside) => (constraint ? 0 : beside || 1);

// events: [time, , 1 when it became a constraint] of one law; t, dt, mode: of the states. [end, mode] of each stretch: a step that
// ends with a switch is wholly in the new mode.
export function mergeLane(events, t, dt, mode) {
  const lane = [];
  const push = (end, value) => lane.push([Math.max(end, lane.at(-1)?.[0] ?? -Infinity), value]);
  let row = 0;
  for (const [time, , constraint] of events) {
    for (; row < t.length && t[row] < time; row++) push(t[row], mode[row]);
    const beside = Math.min(row, t.length - 1);
    push(time - dt[beside], withDirection(!constraint, lane.at(-1)?.[1] ?? 0));
    push(time, withDirection(constraint, mode[beside]));
  }
  for (; row < t.length; row++) push(t[row], mode[row]);
  return lane.filter(([, value], i) => value !== lane[i + 1]?.[1]);
}
