// What rules in C export, see docs/reference/rules.md. Copy this file beside your own, and compile it with
//   clang --target=wasm32 -O3 -nostdlib -Wl,--no-entry -o mygame.wasm mygame.c
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(#name)))

// A position by its number and its key, that of the image in the table; both are the same without images.
struct position {
	uint64_t number, key;
	uint32_t tier, unused;
};

#define MOST_POSITIONS 2730
#define MOST_TEXT 4096

// Where positions and texts are written and read.
static union {
	struct position positions[MOST_POSITIONS];
	char text[65536];
} buffer;

EXPORT(buffer) void *backsolve_buffer(void) { return &buffer; }

// The results of expand for a game that is over, for the player to move. Else it is the number of moves.
enum { DRAW = 0, LOSE = -1, WIN = -2 };

// JSON(text) says what the game is.
#define JSON(text) EXPORT(game) const char *backsolve_game(void) { return text; }

// You write these:
EXPORT(start) void start(void);                              // buffer.positions[0]
EXPORT(expand) int32_t expand(uint64_t number, uint32_t tier); // buffer.positions
EXPORT(format) int32_t format(uint64_t number, uint32_t tier); // buffer.text; returns its length
EXPORT(parse) int32_t parse(uint32_t length);                  // of buffer.text, to buffer.positions[0]; 0 if it is none, else 1
