// Players take one to three of 21 counters. Whoever takes the last one wins.
import { LOSE, letter, put, setLetter, text } from "./backsolve";
export { buffer } from "./backsolve";

export function game(): usize {
  return text(`{"abi": 1, "name": "take-21", "title": "Take 21", "tiers": 22, "loops": [], "board": {"heaps": 1},
    "rules": "Take one to three of 21 counters. Whoever takes the last one wins."}`);
}

export function start(): void { put(0, 21, 21, 0); }

export function expand(left: u64, tier: u32): i32 {
  if (left == 0) return LOSE; // for the player to move
  let moves = 0;
  for (let n: u32 = 1; n <= 3 && n <= left; n++) put(moves++, left - n, left - n, tier + n);
  return moves;
}

export function format(left: u64, tier: u32): i32 {
  let length = 0;
  if (left > 9) setLetter(length++, 0x30 + <u32>left / 10);
  setLetter(length++, 0x30 + <u32>left % 10);
  return length;
}

export function parse(length: i32): i32 {
  let left: u32 = 0;
  for (let i = 0; i < length; i++) left = left * 10 + letter(i) - 0x30;
  if (length > 2 || left > 21) return 0;
  put(0, left, left, 21 - left);
  return 1;
}
