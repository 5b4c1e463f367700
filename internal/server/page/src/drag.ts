// Drag and drop on the board: a tile follows the pointer to the place where it enters.

/** A pointer that moves fewer pixels has clicked. */
const slack = 6;

/** Drag is what the board does with the cells of a drag. */
export interface Drag {
  /** take begins with a cell, and says whether its tile can be taken. */
  take(cell: HTMLElement): boolean;
  /** drop ends over a cell, or over none. */
  drop(cell: HTMLElement | null): void;
}

/** draggable lets tiles of a board be dragged. The click that follows a drag is swallowed. */
export function draggable(board: HTMLElement, drag: Drag): void {
  let from: { cell: HTMLElement; x: number; y: number; id: number } | null = null;
  let tile: SVGElement | null = null;
  const swallow = (event: Event) => event.stopPropagation();
  const end = (cell: HTMLElement | null) => {
    if (tile) {
      tile.style.translate = "";
      tile = null;
      board.addEventListener("click", swallow, true);
      setTimeout(() => board.removeEventListener("click", swallow, true));
      drag.drop(cell);
    }
    from = null;
  };
  const cellAt = (event: PointerEvent) => document.elementsFromPoint(event.clientX, event.clientY).map((e) => e.closest<HTMLElement>(".cell")).find((cell) => cell && board.contains(cell) && cell !== from?.cell) ?? null;
  board.addEventListener("pointerdown", (event) => {
    const cell = (event.target as Element).closest<HTMLElement>(".cell.takeable, .cell.taken");
    if (cell && event.button === 0 && event.isPrimary) from = { cell, x: event.clientX, y: event.clientY, id: event.pointerId };
  });
  board.addEventListener("pointermove", (event) => {
    if (!from || event.pointerId !== from.id) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!tile && Math.hypot(x, y) > slack) {
      if (!drag.take(from.cell)) {
        from = null;
        return;
      }
      tile = from.cell.querySelector<SVGElement>(".tile");
      board.setPointerCapture(event.pointerId);
    }
    if (tile) tile.style.translate = `${x}px ${y}px`;
  });
  board.addEventListener("pointerup", (event) => end(tile ? cellAt(event) : null));
  board.addEventListener("pointercancel", () => end(null));
}
