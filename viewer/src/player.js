// The clock of the replay. Listeners hear of every change of the time or of the settings.

const STEPS = [1, 2, 5];

export function speeds() {
  const all = [];
  for (let power = -5; power <= 2; power++)
    for (const step of STEPS) if (power < 2 || step === 1) all.push(step * 10 ** power);
  return all;
}

// The listed speed at which a run takes about eight seconds, but real time where that is bearable.
export function naturalSpeed(duration) {
  if (duration >= 3 && duration <= 20) return 1;
  const wanted = Math.log(duration / 8);
  const distance = (speed) => Math.abs(Math.log(speed) - wanted);
  return speeds().reduce((best, speed) => (distance(speed) < distance(best) ? speed : best));
}

export class Player {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.time = start;
    this.playing = false;
    this.loop = true;
    this.speed = end > start ? naturalSpeed(end - start) : 1;
    this.listeners = [];
    this.last = 0;
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.tell();
  }

  play(playing) {
    this.playing = playing && this.end > this.start;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.last = 0;
    this.tell();
  }

  set(settings) {
    Object.assign(this, settings);
    this.tell();
  }

  // Called before every frame with the time of the page in ms.
  tick(now) {
    if (!this.playing) return;
    const elapsed = this.last ? Math.min(now - this.last, 100) / 1000 : 0;
    this.last = now;
    let time = this.time + elapsed * this.speed;
    if (time > this.end) {
      this.playing = this.loop;
      time = this.loop ? this.start : this.end;
    }
    this.seek(time);
  }
}
