// The animation of tiles when one is pushed in.

const milliseconds = 260;

/** slide moves the tiles of the line between two cells into their places: each comes from its neighbour on the side
 * where the tile was pushed in, and that tile from outside. cells are row by row; drawings are what is moved. */
export function slide(drawings: Element[], n: number, from: number, to: number): void {
  if (from === to || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const step = Math.abs(to - from) < n ? Math.sign(to - from) : n * Math.sign(to - from);
  const pitch = distance(drawings[from], drawings[from + step]);
  for (let cell = from; ; cell += step) {
    drawings[cell]?.animate([{ transform: `translate(${pitch.x}px, ${pitch.y}px)` }, { transform: "none" }], {
      duration: milliseconds,
      easing: "ease-out",
    });
    if (cell === to) return;
  }
}

function distance(a: Element | undefined, b: Element | undefined): { x: number; y: number } {
  if (!a || !b) return { x: 0, y: 0 };
  const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
  return { x: q.x - p.x, y: q.y - p.y };
}
