// A lane for each law: black while it is a constraint, grey while its force is impressed, two greys for the two
// directions of sliding. Made from the switches themselves, so that none is lost.
import { gutter } from "./plot.js";
import { element } from "./format.js";
import { lastAtOrBelow } from "./search.js";
import { color } from "./theme.js";

const ROW = 24; // px, name and bar
const BAR = 9;
const MOST = 200; // lanes; a canvas cannot be endless

const tone = (mode) => (mode === 0 ? "closed" : mode > 0 ? "forward" : "backward");

export class Lanes {
  constructor(page, holder) {
    this.page = page;
    this.laws = page.record.laws;
    if (this.laws.length > MOST) this.laws = this.laws.filter((law) => law.lane.length > 1).slice(0, MOST);
    this.canvas = element("canvas");
    this.mark = element("div", { class: "playhead" });
    this.box = element("div", { class: "lanes" }, this.canvas, this.mark);
    holder.append(this.box, this.legend());
    this.canvas.addEventListener("click", (event) => page.player.seek(this.timeAt(event.offsetX)));
    page.window.listen(() => this.build());
    new ResizeObserver(() => this.build()).observe(holder);
  }

  legend() {
    const { laws } = this;
    const words = (key) => [...new Set(laws.map((law) => law[key]))].join(", ");
    const entry = (mode, text) => element("span", {}, element("i", { class: "dot", style: `background: var(--${tone(mode)})` }), text);
    const directions = laws.some((law) => law.lane.some(([, mode]) => mode < 0));
    const entries = [entry(0, words("constraint")), entry(1, words("impressed") + (directions ? ", forward" : ""))];
    if (directions) entries.push(entry(-1, "backward"));
    const hidden = this.page.record.laws.length - laws.length;
    if (hidden) entries.push(element("span", {}, `and ${hidden} more laws`));
    return element("div", { class: "lane-key" }, ...entries);
  }

  timeAt(x) {
    const { from, to } = this.page.window;
    return from + (x / this.width) * (to - from);
  }

  placeOf(time) {
    const { from, to } = this.page.window;
    return ((time - from) / (to - from)) * this.width;
  }

  build() {
    const { laws } = this;
    this.box.style.marginLeft = `${gutter()}px`;
    this.width = this.box.clientWidth - 10;
    if (this.width <= 0) return;
    const scale = devicePixelRatio;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = laws.length * ROW * scale;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${laws.length * ROW}px`;
    this.mark.style.height = `${laws.length * ROW}px`;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "11px system-ui, sans-serif";
    laws.forEach((law, i) => this.drawLane(context, law, i * ROW));
    this.move();
  }

  // Constraints are painted last and are at least a pixel wide: a contact of one step can still be seen.
  drawLane(context, law, top) {
    const { from, to } = this.page.window;
    context.fillStyle = color("quiet");
    context.fillText(law.name, 0, top + 11);
    const first = lastAtOrBelow(law.lane.length, (i) => law.lane[i][0], from) + 1;
    const closed = [];
    let begin = 0;
    for (let i = first; i < law.lane.length && begin < this.width; i++) {
      const [end, mode] = law.lane[i];
      const right = Math.min(this.placeOf(Math.min(end, to)), this.width);
      context.fillStyle = color(tone(mode));
      if (mode === 0) closed.push([begin, right]);
      else context.fillRect(begin, top + ROW - BAR, right - begin, BAR - 1);
      begin = right;
    }
    context.fillStyle = color(tone(0));
    for (const [left, right] of closed) {
      const x = Math.floor(left);
      context.fillRect(x, top + ROW - BAR, Math.max(Math.round(right) - x, 1), BAR - 1);
    }
  }

  move() {
    const { time } = this.page.player;
    const { from, to } = this.page.window;
    this.mark.hidden = time < from || time > to;
    this.mark.style.transform = `translateX(${this.placeOf(time) - 0.75}px)`;
  }
}
