// The tabs under the stage: switches, checks, parameters, the scene, the run.
import { Events } from "./events.js";
import { element, number } from "./format.js";

function checks({ expectations }) {
  const row = (e) =>
    element(
      "tr",
      {},
      element("td", { class: e.met ? "good" : "bad" }, e.met ? "✓" : "✗"),
      element("td", {}, e.name.replaceAll("_", " "), element("br"), element("small", { style: "color: var(--quiet)" }, e.source ? `${e.what}; ${e.source}` : e.what)),
      element("td", { class: "n" }, number(e.measured, 7)),
      element("td", { class: "n" }, `${number(e.is, 7)} ± ${number(e.within, 2)}`),
    );
  const heads = ["", "", "measured", "expected"].map((text) => element("th", {}, text));
  return element("table", {}, element("tr", {}, ...heads), ...expectations.map(row));
}

function list(pairs) {
  return element("dl", {}, ...pairs.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, String(value))]));
}

function run(record) {
  const { statistics: s } = record;
  const mean = s.steps ? s.iterations / s.steps : 0;
  const thinned = record.rows < record.states ? `, ${record.rows} of them in this page` : "";
  const pairs = [
    ["record", record.file],
    ["stickslip", record.version],
    ["time", `${number(record.start, 6)} … ${number(record.end, 9)} s in ${s.steps} steps`],
    ["states", `${record.states}${thinned}`],
    ["switches", s.switches],
    ["solver", `${number(mean, 3)} iterations a step, ${s.maxIterations} at most; worst residual ${number(s.worstResidual, 3)}`],
    ["failures", s.failures],
  ];
  pairs.push(["verdict", `${record.trusted ? "trusted" : "NOT trusted"}: ${record.verdict}`]);
  if (!record.finished) pairs.push(["ended early", record.note || "yes"]);
  return list(pairs);
}

const KEYS = [
  ["space", "play or pause"],
  ["← →", "a little back or on; with shift a lot"],
  ["P N", "last or next switch"],
  ["home end", "start or end"],
  ["+ −", "faster or slower"],
  ["L", "again and again, or once"],
  ["F", "show everything"],
  ["T", "light or dark"],
];

export class Panels {
  constructor(page, tabs, holder) {
    this.tabs = tabs;
    this.holder = holder;
    const { record } = page;
    if (record.laws.length) this.events = new Events(page, this.add("Switches"));
    if (record.expectations.length) this.add("Checks").append(checks(record));
    if (record.parameters.length) this.add("Parameters").append(list(record.parameters.map(([name, value]) => [name, number(value, 9)])));
    if (record.scene) this.add("Scene").append(element("pre", {}, record.scene));
    this.add("Run").append(run(record));
    this.add("Keys").append(list(KEYS));
    this.show(0);
  }

  add(title) {
    const index = this.tabs.childElementCount;
    const panel = element("div", { class: "panel", role: "tabpanel", "aria-label": title });
    const tab = element("button", { role: "tab", onclick: () => this.show(index) }, title);
    this.tabs.append(tab);
    this.holder.append(panel);
    return panel;
  }

  show(index) {
    [...this.tabs.children].forEach((tab, i) => tab.setAttribute("aria-selected", i === index));
    [...this.holder.children].forEach((panel, i) => (panel.hidden = i !== index));
    this.events?.draw();
  }

  move() {
    this.events?.move();
  }
}
