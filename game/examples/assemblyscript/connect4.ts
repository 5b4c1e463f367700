// Connect Four 4×4, the same game as game/examples/connect4 in Go.
import { DRAW, LOSE, letter, put, setLetter, text } from "./backsolve";
export { buffer } from "./backsolve";

const COLUMNS: i32 = 4, ROWS: i32 = 4;

export function game(): usize {
  return text(`{
    "abi": 1, "name": "connect4-4x4", "title": "Connect Four 4×4",
    "rules": "Drop discs into the columns in turn; the first to have four in a row, in any direction, wins.",
    "tiers": 17, "loops": [],
    "board": {"drop": true}, "moves": "column", "pieces": {"X": [0, "counter"], "O": [1, "counter"]}
  }`);
}

// A column has ROWS+1 bits, the lowest cell first. The number of a position has the discs of the player
// to move, and a bit above the discs of each column. The tier is the number of discs.
const H: i32 = ROWS + 1;
const COLUMN: u64 = (1 << H) - 1;
const BOTTOM: u64 = 1 | (1 << H) | (1 << (2 * H)) | (1 << (3 * H));

// discs returns all discs of a position. What is left of its number without BOTTOM and these are those of the player to move.
function discs(number: u64): u64 {
  let all: u64 = 0;
  for (let c = 0; c < COLUMNS; c++) {
    const column = (number >> (c * H)) & COLUMN;
    all |= ((1 << (63 - <i32>clz(column))) - 1) << (c * H);
  }
  return all;
}

// Mirror images are worth the same, so they share the lesser number as their key.
function mirrored(number: u64): u64 {
  let image: u64 = 0;
  for (let c = 0; c < COLUMNS; c++) image |= ((number >> (c * H)) & COLUMN) << ((COLUMNS - 1 - c) * H);
  return image;
}

function place(i: i32, number: u64, tier: u32): void {
  put(i, number, min(number, mirrored(number)), tier);
}

function row(discs: u64, step: i32): bool {
  const two = discs & (discs >> step);
  return (two & (two >> (2 * step))) != 0;
}

function four(discs: u64): bool {
  return row(discs, 1) || row(discs, H) || row(discs, H - 1) || row(discs, H + 1);
}

export function start(): void {
  place(0, BOTTOM, 0);
}

export function expand(number: u64, tier: u32): i32 {
  const all = discs(number), theirs = all ^ (number - BOTTOM - all);
  if (four(theirs)) return LOSE;
  if (tier == COLUMNS * ROWS) return DRAW;
  let moves = 0;
  for (let c = 0; c < COLUMNS; c++) {
    const cell = (all + (1 << (c * H))) & ~all & ((COLUMN >> 1) << (c * H));
    if (cell) place(moves++, theirs + (all | cell) + BOTTOM, tier + 1);
  }
  return moves;
}

// The player who began is X.
export function format(number: u64, tier: u32): i32 {
  const all = discs(number), mine = number - BOTTOM - all, x = tier & 1 ? all ^ mine : mine;
  let length = 0;
  for (let r = ROWS - 1; r >= 0; r--) {
    for (let c = 0; c < COLUMNS; c++) {
      const cell: u64 = <u64>1 << (c * H + r);
      setLetter(length++, !(all & cell) ? 0x2e : x & cell ? 0x58 : 0x4f); // . X O
    }
    if (r > 0) setLetter(length++, 0x2f);
  }
  return length;
}

export function parse(length: i32): i32 {
  if (length != (COLUMNS + 1) * ROWS - 1) return 0;
  let x: u64 = 0, all: u64 = 0, xs = 0, os = 0, at = 0;
  for (let r = ROWS - 1; r >= 0; r--) {
    for (let c = 0; c < COLUMNS; c++) {
      const cell: u64 = <u64>1 << (c * H + r), is = letter(at++);
      if (is == 0x2e) {
        if (all & (cell << 1)) return 0; // a disc hangs above
        continue;
      }
      all |= cell;
      if (is == 0x58) {
        x |= cell;
        xs++;
      } else if (is == 0x4f) os++;
      else return 0;
    }
    if (r > 0 && letter(at++) != 0x2f) return 0;
  }
  if (xs != os && xs != os + 1) return 0;
  place(0, (xs > os ? all ^ x : x) + all + BOTTOM, xs + os);
  return 1;
}

// 0 if the player who began is to move, else 1.
export function turn(number: u64, tier: u32): i32 {
  return tier & 1;
}

// Positions that share the key of this one, for the check of the rules.
export function images(number: u64, tier: u32): i32 {
  place(0, mirrored(number), tier);
  return 1;
}
