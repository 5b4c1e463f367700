import assert from "node:assert/strict";
import { test } from "node:test";
import { bySymmetry, groupOf } from "../../../internal/server/page/src/symmetry.js";

const square = (n: number) => ({ rows: n, columns: n });

test("the groups have as many elements as they should", () => {
  for (const [rows, columns, order] of [[4, 5, 4], [1, 4, 2], [5, 1, 2]] as const) assert.equal(groupOf("square", { rows, columns }).length, order);
  for (const n of [2, 3, 4, 5]) assert.equal(groupOf("square", square(n)).length, 8, `square ${n}`);
  // 4·2^k·k! with k = ⌊n/2⌋
  for (const [n, order] of [[1, 1], [2, 8], [3, 8], [4, 32], [5, 32], [6, 192], [7, 192], [8, 1536]] as const) {
    assert.equal(groupOf("lines", square(n)).length, order, `lines ${n}`);
  }
});

test("every element takes lines to lines", () => {
  for (const n of [4, 5]) {
    const each = Array.from({ length: n }, (_, i) => i);
    const lines = [
      ...each.map((r) => each.map((c) => r * n + c)),
      ...each.map((c) => each.map((r) => r * n + c)),
      each.map((i) => i * n + i),
      each.map((i) => i * n + n - 1 - i),
    ];
    const key = (line: number[]) => [...line].sort((a, b) => a - b).join();
    const all = new Set(lines.map(key));
    for (const p of groupOf("lines", square(n))) for (const line of lines) assert.ok(all.has(key(line.map((cell) => p[cell] ?? -1))));
  }
});

/** marked are the moves of a first mark on the empty board. */
function marked(n: number): { position: string }[] {
  return Array.from({ length: n * n }, (_, cell) => {
    const cells = Array.from({ length: n * n }, (_, i) => (i === cell ? "X" : "."));
    return { position: Array.from({ length: n }, (_, row) => cells.slice(row * n, row * n + n).join("")).join("/") };
  });
}

test("first moves fall into orbits", () => {
  assert.deepEqual(bySymmetry(marked(3), "square", square(3)).map((m) => m.length), [4, 4, 1]);
  assert.deepEqual(bySymmetry(marked(4), "square", square(4)).map((m) => m.length), [4, 8, 4]);
  // By the lines: the diagonals, for odd n also the centre and the middle lines, and all others.
  assert.deepEqual(bySymmetry(marked(4), "lines", square(4)).map((m) => m.length), [8, 8]);
  assert.deepEqual(bySymmetry(marked(5), "lines", square(5)).map((m) => m.length).sort(), [1, 8, 8, 8]);
});

test("different positions and different sides are kept apart, the order is kept", () => {
  const moves = ["X../.../..O o", "O../.../..X o", "..X/.../O.. x", ".X./.../.O. o", "..O/.../X.. o"].map((position) => ({ position }));
  assert.deepEqual(bySymmetry(moves, "square", square(3)).map((alike) => alike.map((m) => moves.indexOf(m))), [[0, 1, 4], [2], [3]]);
});
