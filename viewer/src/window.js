// The stretch of time that all plots show. Listeners hear of every change.
export class Window {
  constructor(start, end) {
    this.whole = [start, end > start ? end : start + 1];
    [this.from, this.to] = this.whole;
    this.listeners = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  show(from, to) {
    const least = (this.whole[1] - this.whole[0]) * 1e-9;
    if (to - from < least || (from === this.from && to === this.to)) return;
    this.from = Math.max(from, this.whole[0]);
    this.to = Math.min(to, this.whole[1]);
    for (const listener of this.listeners) listener();
  }

  showAll() {
    this.show(...this.whole);
  }
}
