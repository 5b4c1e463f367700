// What rules in Rust share, see docs/reference/rules.md. Copy this file beside your own, and compile that with
//   rustc --edition 2021 --target wasm32-unknown-unknown --crate-type cdylib -O -C strip=symbols mygame.rs -o mygame.wasm

/// A position by its number and its key, that of the image in the table; both are the same without images.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Position {
    pub number: u64,
    pub key: u64,
    pub tier: u32,
    pub unused: u32,
}

const MOST_POSITIONS: usize = 2730;

/// Where positions and texts are written and read. There is one thread.
#[repr(C)]
union Buffer {
    positions: [Position; MOST_POSITIONS],
    text: [u8; 65536],
}

static mut BUFFER: Buffer = Buffer { text: [0; 65536] };

#[no_mangle]
pub extern "C" fn buffer() -> *const u8 {
    unsafe { core::ptr::addr_of!(BUFFER) as *const u8 }
}

/// The results of expand for a game that is over, for the player to move. Else it is the number of moves.
pub const DRAW: i32 = 0;
pub const LOSE: i32 = -1;
#[allow(dead_code)]
pub const WIN: i32 = -2;

pub fn put(i: usize, number: u64, key: u64, tier: u32) {
    unsafe { BUFFER.positions[i] = Position { number, key, tier, unused: 0 } }
}

pub fn letter(i: usize) -> u8 {
    unsafe { BUFFER.text[i] }
}

pub fn set_letter(i: usize, letter: u8) {
    unsafe { BUFFER.text[i] = letter }
}
