// Pictures and films without a screen. What is wanted stands behind the # of the address:
//   #t=0.2          the page at a time
//   #t=0.2&stage    the drawing alone
//   …&picture       the drawing as an image, which is there at once when the page is
//   #film=30,0.05,640,480   all frames of the drawing at 30 a second and 0.05 of the real speed, as JPEGs of that
//                           size in #frames; speed 0: one that suits the length of the run
import { naturalSpeed } from "./player.js";

export function wishes() {
  const wish = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const film = wish.film?.split(",").map(Number);
  return { picture: "picture" in wish, time: wish.t === undefined ? undefined : Number(wish.t), alone: "stage" in wish || !!film, film, theme: wish.theme };
}

const MOST_FRAMES = 3600;

// A canvas of WebGL may come too late for a picture of the page.
export function freeze({ stage, player }) {
  const { domElement } = stage.renderer;
  const image = document.createElement("img");
  const take = () => {
    stage.resize();
    stage.show(player.time);
    stage.draw();
    image.src = domElement.toDataURL();
  };
  image.style.cssText = "display: block; width: 100%; height: 100%";
  domElement.replaceWith(image);
  take();
  new ResizeObserver(take).observe(stage.element);
}

export function setSize([, , width, height]) {
  Object.assign(document.getElementById("stage").style, { width: `${width}px`, height: `${height}px` });
}

export function shoot({ record, stage }, [rate, wanted]) {
  const speed = wanted || naturalSpeed(record.end - record.start);
  const count = Math.min(Math.floor(((record.end - record.start) / speed) * rate) + 1, MOST_FRAMES);
  const frames = [];
  for (let i = 0; i < count; i++) {
    stage.show(Math.min(record.start + (i / rate) * speed, record.end));
    stage.draw();
    frames.push(stage.renderer.domElement.toDataURL("image/jpeg", 0.92).split(",")[1]);
  }
  const output = document.createElement("pre");
  output.id = "frames";
  output.hidden = true;
  output.textContent = `\n${frames.join("\n")}\n`;
  document.body.append(output);
}
