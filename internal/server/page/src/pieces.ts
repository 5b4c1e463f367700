// The pieces that games declare, in a square of 100 by 100.

import { s } from "./dom.js";
import type { Layout } from "./types.js";

/** Animals face the viewer; the background colour and a ring distinguish the sides. */
const animals: Record<string, () => SVGElement[]> = {
  hound: () => [
    path("fur", "M31 36C25 27 17 33 19 47C20 56 25 60 30 58ZM69 36C75 27 83 33 81 47C80 56 75 60 70 58Z"),
    path("face", "M50 26C66 26 73 38 71 52C70 66 60 76 50 76C40 76 30 66 29 52C27 38 34 26 50 26Z"),
    path("dark", "M43 60H57L50 69Z"), eye(42, 46), eye(58, 46),
  ],
  hare: () => [
    path("face", "M41 40C33 30 31 14 37 11C44 9 49 24 48 39ZM59 40C67 30 69 14 63 11C56 9 51 24 52 39Z"),
    circle("face", 50, 57, 21), path("dark", "M46 61H54L50 66Z"), eye(42, 53), eye(58, 53),
  ],
  lion: () => [circle("fur", 50, 50, 30), circle("face", 50, 52, 20), path("dark", "M45 56H55L50 62Z"), eye(43, 48), eye(57, 48)],
  giraffe: () => [
    path("fur", "M40 30V17M60 30V17"), circle("fur", 40, 16, 4), circle("fur", 60, 16, 4),
    path("face", "M50 27C62 27 66 36 63 48L60 68C59 78 41 78 40 68L37 48C34 36 38 27 50 27Z"), circle("dark", 46, 69, 2.5), circle("dark", 54, 69, 2.5), eye(43, 42), eye(57, 42),
  ],
  elephant: () => [
    circle("fur", 29, 46, 17), circle("fur", 71, 46, 17), circle("face", 50, 46, 21),
    path("face", "M43 52H57V76C57 84 43 84 43 76Z"), path("dark thin", "M44 66H56M44 73H56"), eye(42, 43), eye(58, 43),
  ],
  chick: () => [circle("face", 50, 52, 23), path("beak", "M43 56H57L50 65Z"), eye(42, 47), eye(58, 47)],
  hen: () => [path("beak", "M39 31C37 20 46 20 46 26C47 17 55 17 55 26C57 20 64 22 61 31Z"), circle("face", 50, 53, 24), path("beak", "M42 57H58L50 68Z"), eye(41, 48), eye(59, 48)],
};

/** drawPiece draws what a character of a position stands for; "" and a dot are nothing. */
export function drawPiece(character: string, layout: Layout | undefined): SVGElement[] {
  if (character === "" || character === ".") return [];
  const [side = 0, form = "letter"] = layout?.pieces?.[character] ?? usual[character] ?? [-1, "letter"];
  const player = side === 0 ? "first" : side === 1 ? "second" : "nobody";
  const animal = Object.hasOwn(animals, form) ? animals[form] : undefined;
  if (animal) return [s("g", { class: `piece animal ${player}` }, circle("coat", 50, 50, 40), ...animal())];
  switch (form) {
    case "disc":
      return [circle(`disc ${side === 1 ? "light" : "dark"}`, 50, 50, 37)];
    case "counter":
      return [s("g", { class: `piece chip-piece ${player}` }, circle("coat", 50, 50, 39), circle("rim", 50, 50, side === 1 ? 17 : 28))];
    case "block":
      return [s("g", { class: "piece block" }, s("rect", { class: "coat", x: 7, y: 7, width: 86, height: 86, rx: 9 }), s("rect", { class: "rim", x: 21, y: 21, width: 58, height: 58, rx: 6 }))];
    case "domino":
      return [s("g", { class: "piece domino" }, s("rect", { class: "coat", x: 5, y: 5, width: 90, height: 90, rx: 12 }), circle("pip", 50, 50, 9))];
    default:
      return [s("g", { class: `piece letter ${player}` }, circle("coat", 50, 50, 38), s("text", { x: 50, y: 67, "font-size": 48, "text-anchor": "middle" }, character))];
  }
}

/** usual are the pieces of games that declare none. */
const usual: NonNullable<Layout["pieces"]> = { X: [0, "disc"], O: [1, "disc"] };

function path(kind: string, d: string): SVGElement {
  return s("path", { class: kind, d });
}

function circle(kind: string, cx: number, cy: number, r: number): SVGElement {
  return s("circle", { class: kind, cx, cy, r });
}

function eye(cx: number, cy: number): SVGElement {
  return circle("dark", cx, cy, 3.2);
}
