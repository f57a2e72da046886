// Play, pause, scrub, speed, loop; buttons and keys.
import { element, number, time } from "./format.js";
import { speeds } from "./player.js";
import * as theme from "./theme.js";

const PLAY = "M6 4l14 8-14 8z";
const PAUSE = "M6 4h4v16H6zM14 4h4v16h-4z";

const $ = (id) => document.getElementById(id);

export class Transport {
  constructor(page) {
    this.page = page;
    this.canvas = $("ticks");
    const { player } = page;
    $("play").onclick = () => player.play(!player.playing);
    $("loop").onclick = () => player.set({ loop: !player.loop });
    $("previous").onclick = () => this.jump(-1);
    $("next").onclick = () => this.jump(1);
    $("theme").onclick = theme.toggle;
    $("slider").oninput = (event) => player.seek(player.start + event.target.value * (player.end - player.start));
    this.addSpeeds();
    addEventListener("keydown", (event) => this.key(event), { signal: page.over.signal });
    new ResizeObserver(() => this.drawTicks()).observe($("scrub"));
    theme.listen(() => this.drawTicks());
  }

  addSpeeds() {
    const { player } = this.page;
    const label = (speed) => (speed === 1 ? "real time" : speed < 1 ? `1 : ${Math.round(1 / speed)}` : `${speed} ×`);
    $("speed").append(...speeds().map((speed) => element("option", { value: speed }, label(speed))));
    $("speed").onchange = (event) => player.set({ speed: Number(event.target.value) });
  }

  // To the last or the next switch that is at another time.
  jump(direction) {
    const { record, player } = this.page;
    const { events } = record;
    let i = record.eventAt(player.time);
    if (direction > 0) i++;
    else while (i >= 0 && events[i][0] >= player.time) i--;
    if (i >= 0 && i < events.length) player.seek(events[i][0]);
  }

  step(direction, large) {
    const { player } = this.page;
    player.seek(player.time + direction * (player.end - player.start) * (large ? 0.05 : 0.002));
  }

  accelerate(direction) {
    const { player } = this.page;
    const all = speeds();
    const nearest = all.reduce((best, s, i) => (Math.abs(Math.log(s / player.speed)) < Math.abs(Math.log(all[best] / player.speed)) ? i : best), 0);
    player.set({ speed: all[Math.min(Math.max(nearest + direction, 0), all.length - 1)] });
  }

  key(event) {
    const { player, stage } = this.page;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input[type=search], select")) return;
    const actions = {
      " ": () => player.play(!player.playing),
      ArrowLeft: () => this.step(-1, event.shiftKey),
      ArrowRight: () => this.step(1, event.shiftKey),
      Home: () => player.seek(player.start),
      End: () => player.seek(player.end),
      n: () => this.jump(1),
      p: () => this.jump(-1),
      "+": () => this.accelerate(1),
      "-": () => this.accelerate(-1),
      l: () => player.set({ loop: !player.loop }),
      f: () => stage?.fit(),
      t: () => theme.toggle(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // A tick for each switch above the slider.
  drawTicks() {
    const { record } = this.page;
    const { canvas } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    canvas.width = width * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    const context = canvas.getContext("2d");
    context.scale(devicePixelRatio, devicePixelRatio);
    context.fillStyle = theme.color("grey");
    const thumb = 8; // half of the slider's handle
    for (const [t] of record.events) {
      const x = thumb + ((t - record.start) / (record.end - record.start)) * (width - 2 * thumb);
      context.fillRect(x - 0.5, 3, 1, 7);
    }
  }

  show() {
    const { player } = this.page;
    const duration = player.end - player.start;
    $("clock").textContent = `${time(player.time, duration)} s`;
    $("slider").value = duration ? (player.time - player.start) / duration : 0;
    if (this.shown === `${player.playing} ${player.loop} ${player.speed}`) return;
    this.shown = `${player.playing} ${player.loop} ${player.speed}`;
    $("play-icon").setAttribute("d", player.playing ? PAUSE : PLAY);
    $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    $("loop").setAttribute("aria-pressed", player.loop);
    $("speed").value = String(player.speed);
    $("speed").title = `Speed ${number(player.speed)} (+ and −)`;
  }
}
