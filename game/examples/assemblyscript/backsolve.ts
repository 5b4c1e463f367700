// What rules in AssemblyScript share, see docs/reference/rules.md. Copy this file beside your own, and compile that with
//   npx asc mygame.ts -O3 --runtime stub --use abort= -o mygame.wasm

// Where positions and texts are written and read.
const room: usize = memory.data(65536);

export function buffer(): usize {
  return room;
}

// The results of expand for a game that is over, for the player to move. Else it is the number of moves.
export const DRAW: i32 = 0, LOSE: i32 = -1, WIN: i32 = -2;

// put writes a position by its number and its key, that of the image in the table; both are the same without images.
export function put(i: i32, number: u64, key: u64, tier: u32): void {
  const at = room + 24 * i;
  store<u64>(at, number);
  store<u64>(at, key, 8);
  store<u32>(at, tier, 16);
}

// setLetter writes a character of a text, and letter reads it.
export function setLetter(i: i32, character: u32): void {
  store<u8>(room + i, <u8>character);
}

export function letter(i: i32): u32 {
  return load<u8>(room + i);
}

// text is the address of a text for game.
export function text(json: string): usize {
  return changetype<usize>(String.UTF8.encode(json, true));
}
