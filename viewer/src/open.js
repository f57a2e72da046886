// A page without a record: a file is dropped on it, or chosen.
import { readRecord } from "./hdf5.js";
import { end, start } from "./main.js";
import { element } from "./format.js";

const whole = document.body.innerHTML;

async function open(file, say) {
  say(`Reading ${file.name} …`);
  try {
    const record = await readRecord(file.name, new Uint8Array(await file.arrayBuffer()));
    if (!record.rows) throw new Error(`${file.name} has no states`);
    document.body.innerHTML = whole;
    start(record);
  } catch (error) {
    say(error.message, "bad");
  }
}

// A place to drop a file; returns what tells how that goes.
function ask() {
  const note = element("p", { id: "open-note" }, "It stays on this computer.");
  const say = (words, tone = "") => Object.assign(note, { textContent: words, className: tone });
  const input = element("input", { type: "file", accept: ".h5", id: "file", onchange: (event) => event.target.files[0] && open(event.target.files[0], say) });
  const label = element("label", { class: "open", for: "file" }, element("b", {}, "Drop a record here"), element("span", {}, "or choose one: NAME.h5, as stickslip run writes it"), input, note);
  document.body.replaceChildren(label);
  return say;
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (!file) return;
  if (globalThis.stickslip) end(globalThis.stickslip);
  open(file, ask());
});
ask();
