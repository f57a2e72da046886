// What stands around the drawing: whom to follow, the length of forces, the scale, the key of colours.
import { element } from "./format.js";

const $ = (id) => document.getElementById(id);

export class StageTools {
  constructor(page) {
    const { stage, record } = page;
    this.stage = stage;
    $("fit").onclick = () => stage.fit();
    this.addFollow(record);
    this.addForces(record);
    this.addKey(record);
    $("scale").hidden = !stage.flat;
  }

  addFollow(record) {
    const drawn = record.shapes.filter((shape) => shape.kind !== "arrow").map((shape) => shape.name);
    const names = [...new Set([...drawn, ...record.bodies.filter((body) => body.carrier).map((body) => body.name)])];
    $("follow").append(element("option", { value: "" }, "nothing"), ...names.map((name) => element("option", {}, name)));
    $("follow").onchange = (event) => this.stage.follow(event.target.value);
  }

  addForces(record) {
    $("forces-label").hidden = !record.contacts && !record.shapes.some((shape) => shape.kind === "arrow");
    $("contact-display-label").hidden = !record.contacts;
    if (record.contacts) $("contact-display").value = this.stage.contactMarks.shown;
    $("contact-display").onchange = (event) => this.stage.showContacts(event.target.value);
    $("forces").oninput = (event) => this.stage.setForceFactor(10 ** event.target.value);
  }

  addKey(record) {
    const laws = record.shapes.map((shape) => record.laws[record.lawByName.get(shape.law)]).filter(Boolean);
    const words = (key) => [...new Set(laws.map((law) => law[key]))].join(", ");
    const entry = (tone, text) => element("span", {}, element("i", { class: "dot", style: `background: var(--${tone})` }), text);
    if (record.contacts) $("key").append(entry("green", "sticks"), entry("orange", "slips"), entry("grey", "open"));
    else if (laws.length) $("key").append(entry("green", words("constraint")), entry("orange", words("impressed")));
  }

  // A bar of a round length.
  showScale() {
    if (!this.stage.flat) return;
    const metres = this.stage.metresInPixel() * 90;
    const power = 10 ** Math.floor(Math.log10(metres));
    const round = [5, 2, 1].find((step) => step * power <= metres) * power;
    const text = round >= 1 ? `${round} m` : round >= 0.01 ? `${Math.round(round * 100)} cm` : `${Number((round * 1000).toPrecision(1))} mm`;
    $("scale").querySelector("i").style.width = `${round / this.stage.metresInPixel()}px`;
    $("scale").querySelector("span").textContent = text;
  }
}
