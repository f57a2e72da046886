// The list of switches. Only the rows that can be seen exist, so that a list may be long.
import { element, number, time } from "./format.js";
import { lastAtOrBelow } from "./search.js";

const ROW = 26; // px, as in style.css

export class Events {
  constructor(page, panel) {
    this.page = page;
    this.panel = panel;
    panel.id = "events";
    this.law = "";
    this.rows = element("div", { class: "rows" });
    this.count = element("span");
    panel.append(element("div", { class: "tools" }, this.filter(), this.count), this.rows);
    panel.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(panel);
    this.choose("");
  }

  filter() {
    const choose = (event) => this.choose(event.target.value);
    const select = element("select", { "aria-label": "Law", onchange: choose }, element("option", { value: "" }, "all laws"));
    this.page.record.laws.forEach((law, i) => select.append(element("option", { value: i }, law.name)));
    return select;
  }

  choose(law) {
    const { events } = this.page.record;
    this.shown = [];
    for (let i = 0; i < events.length; i++) if (law === "" || events[i][1] === Number(law)) this.shown.push(i);
    this.count.textContent = `${this.shown.length} switch${this.shown.length === 1 ? "" : "es"}`;
    this.rows.style.height = `${this.shown.length * ROW}px`;
    this.draw();
  }

  row(position) {
    const { record, player } = this.page;
    const [t, index, constraint, impulse] = record.events[this.shown[position]];
    const law = record.laws[index];
    const words = constraint ? [law.impressed, law.constraint] : [law.constraint, law.impressed];
    const hit = constraint && impulse ? `${number(impulse, 3)} N s` : "";
    return element(
      "button",
      { class: `event${position === this.current ? " now" : ""}`, style: `top: ${position * ROW}px`, onclick: () => player.seek(t) },
      element("span", {}, `${time(t, record.end - record.start)} s`),
      element("span", { class: "law" }, law.name),
      element("span", {}, `${words[0]} → ${words[1]}`),
      element("span", { class: "hit" }, hit),
    );
  }

  draw() {
    const first = Math.max(0, Math.floor((this.panel.scrollTop - 40) / ROW) - 3);
    const last = Math.min(this.shown.length, first + Math.ceil(this.panel.clientHeight / ROW) + 8);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.row(i));
    this.rows.replaceChildren(...rows);
  }

  // Keeps the last switch before the current moment in sight.
  move() {
    const { record, player } = this.page;
    const current = lastAtOrBelow(this.shown.length, (i) => record.events[this.shown[i]][0], player.time);
    if (current === this.current) return;
    this.current = current;
    const top = current * ROW;
    const { scrollTop, clientHeight } = this.panel;
    if (top < scrollTop || top > scrollTop + clientHeight - 2 * ROW - 40) this.panel.scrollTop = top - clientHeight / 2 + ROW;
    this.draw();
  }
}
