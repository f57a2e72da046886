// What a page does with a record.
import "./style.css";
import { Cards } from "./cards.js";
import { freeze, setSize, shoot, wishes } from "./film.js";
import { Panels } from "./panels.js";
import { Player } from "./player.js";
import { Stage } from "./stage.js";
import { StageTools } from "./stagetools.js";
import * as theme from "./theme.js";
import { Transport } from "./transport.js";
import { Window } from "./window.js";

const $ = (id) => document.getElementById(id);

function showTitle(record) {
  document.title = `${record.name} – stickslip`;
  $("title").textContent = record.name;
  $("subtitle").textContent = record.description;
  const { failures } = record.statistics;
  const doubts = record.trusted || !record.finished ? "" : "not trusted";
  const missed = record.expectations.filter((e) => !e.met).length;
  const kept = record.expectations.length - missed;
  const faults = [];
  if (!record.finished) faults.push("ended early");
  if (failures) faults.push(`${failures} failed solves`);
  if (doubts) faults.push(doubts);
  if (missed) faults.push(`${missed} of ${record.expectations.length} checks missed`);
  $("verdict").textContent = faults.join(", ") || (kept ? `✓ ${kept} check${kept === 1 ? "" : "s"}` : "");
  $("verdict").title = record.verdict;
  $("verdict").className = faults.length ? "bad" : "good";
}

function createStage(record, fine) {
  const note = $("stage-note");
  if (!record.shapes.length && !record.bodies.length) {
    $("left").classList.add("bare");
    note.textContent = "The scene has neither shapes nor a section drawing.";
    return null;
  }
  try {
    return new Stage($("stage"), record, fine);
  } catch (error) {
    note.textContent = `No replay: ${error.message}`;
    return null;
  }
}

// Ends what start() began: another record takes its place.
export function end(page) {
  page.over.abort();
  page.stage?.renderer.dispose();
  theme.forget();
}

export function start(record) {
  const wish = wishes();
  if (wish.theme) theme.set(wish.theme);
  document.body.classList.toggle("still", wish.alone);
  if (wish.film) setSize(wish.film);
  showTitle(record);
  const page = { record, player: new Player(record.start, record.end), window: new Window(record.start, record.end), over: new AbortController() };
  page.stage = createStage(record, wish.picture || !!wish.film);
  if (wish.film && page.stage) {
    shoot(page, wish.film);
    return;
  }
  const tools = page.stage && new StageTools(page);
  if (page.stage) page.stage.resize(); // now that its tools have their size
  else $("stage-tools").hidden = true;
  const parts = [new Panels(page, $("tabs"), $("panels")), new Cards(page, $("cards"))];
  const transport = new Transport(page);
  theme.listen(() => parts[1].redraw());
  page.player.listen(({ time }) => {
    if (page.stage) page.stage.show(time);
    else record.seek(time);
    for (const part of parts) part.move();
    transport.show();
  });
  page.player.seek(wish.time ?? record.start);
  if (wish.picture && page.stage) {
    freeze(page);
    tools.showScale();
  }
  setTimeout(() => page.player.tell()); // once more when the plots have drawn themselves
  const frame = (now) => {
    if (page.over.signal.aborted) return;
    page.player.tick(now);
    if (page.stage?.draw()) {
      tools.showScale();
      page.frames = (page.frames ?? 0) + 1;
    }
    requestAnimationFrame(frame);
  };
  globalThis.stickslip = page;
  requestAnimationFrame(frame);
}
