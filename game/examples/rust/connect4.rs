// Connect Four 4×4, the same game as game/examples/connect4 in Go.
#![no_std]

mod backsolve;
use backsolve::{letter, put, set_letter, DRAW, LOSE};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[no_mangle]
pub extern "C" fn game() -> *const u8 {
    concat!(
        r#"{
            "abi": 1, "name": "connect4-4x4", "title": "Connect Four 4×4",
            "rules": "Drop discs into the columns in turn; the first to have four in a row, in any direction, wins.",
            "tiers": 17, "loops": [],
            "board": {"drop": true}, "moves": "column", "pieces": {"X": [0, "counter"], "O": [1, "counter"]}
        }"#,
        "\0"
    )
    .as_ptr()
}

const COLUMNS: u32 = 4;
const ROWS: u32 = 4;

// A column has ROWS+1 bits, the lowest cell first. The number of a position has the discs of the player
// to move, and a bit above the discs of each column. The tier is the number of discs.
const H: u32 = ROWS + 1;
const COLUMN: u64 = (1 << H) - 1;
const BOTTOM: u64 = 1 | 1 << H | 1 << (2 * H) | 1 << (3 * H);

/// All discs of a position. What is left of its number without BOTTOM and these are those of the player to move.
fn discs(number: u64) -> u64 {
    (0..COLUMNS).fold(0, |all, c| {
        let column = number >> (c * H) & COLUMN;
        all | ((1 << (63 - (column | 1).leading_zeros())) - 1) << (c * H)
    })
}

/// Mirror images are worth the same, so they share the lesser number as their key.
fn mirrored(number: u64) -> u64 {
    (0..COLUMNS).fold(0, |image, c| image | (number >> (c * H) & COLUMN) << ((COLUMNS - 1 - c) * H))
}

fn place(i: usize, number: u64, tier: u32) {
    put(i, number, number.min(mirrored(number)), tier);
}

fn four(discs: u64) -> bool {
    [1, H, H - 1, H + 1].iter().any(|step| {
        let two = discs & discs >> step;
        two & two >> (2 * step) != 0
    })
}

#[no_mangle]
pub extern "C" fn start() {
    place(0, BOTTOM, 0);
}

#[no_mangle]
pub extern "C" fn expand(number: u64, tier: u32) -> i32 {
    let all = discs(number);
    let theirs = all ^ (number - BOTTOM - all);
    if four(theirs) {
        return LOSE;
    }
    if tier == COLUMNS * ROWS {
        return DRAW;
    }
    let mut moves = 0;
    for c in 0..COLUMNS {
        let cell = (all + (1 << (c * H))) & !all & (COLUMN >> 1) << (c * H);
        if cell != 0 {
            place(moves, theirs + (all | cell) + BOTTOM, tier + 1);
            moves += 1;
        }
    }
    moves as i32
}

/// The player who began is X.
#[no_mangle]
pub extern "C" fn format(number: u64, tier: u32) -> i32 {
    let all = discs(number);
    let mine = number - BOTTOM - all;
    let x = if tier & 1 == 1 { all ^ mine } else { mine };
    let mut length = 0;
    for row in (0..ROWS).rev() {
        for c in 0..COLUMNS {
            let cell = 1 << (c * H + row);
            set_letter(length, if all & cell == 0 { b'.' } else if x & cell != 0 { b'X' } else { b'O' });
            length += 1;
        }
        if row > 0 {
            set_letter(length, b'/');
            length += 1;
        }
    }
    length as i32
}

#[no_mangle]
pub extern "C" fn parse(length: u32) -> i32 {
    if length != (COLUMNS + 1) * ROWS - 1 {
        return 0;
    }
    let (mut x, mut all, mut lead, mut at) = (0, 0, 0, 0);
    for row in (0..ROWS).rev() {
        for c in 0..COLUMNS {
            let cell = 1 << (c * H + row);
            match letter(at) {
                b'.' if all & cell << 1 != 0 => return 0, // a disc hangs above
                b'.' => {}
                b'X' => {
                    all |= cell;
                    x |= cell;
                    lead += 1;
                }
                b'O' => {
                    all |= cell;
                    lead -= 1;
                }
                _ => return 0,
            }
            at += 1;
        }
        if row > 0 && letter(at) != b'/' {
            return 0;
        }
        at += 1;
    }
    if lead != 0 && lead != 1 {
        return 0;
    }
    place(0, if lead == 1 { all ^ x } else { x } + all + BOTTOM, u64::count_ones(all));
    1
}

/// 0 if the player who began is to move, else 1.
#[no_mangle]
pub extern "C" fn turn(_number: u64, tier: u32) -> i32 {
    (tier & 1) as i32
}

/// Positions that share the key of this one, for the check of the rules.
#[no_mangle]
pub extern "C" fn images(number: u64, tier: u32) -> i32 {
    place(0, mirrored(number), tier);
    1
}
