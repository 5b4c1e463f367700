// Connect Four 4×4, the same game as game/examples/connect4 in Go.
#include "backsolve.h"

#ifndef COLUMNS // the compiler's options may say another board
#define COLUMNS 4
#define ROWS 4
#define TIERS 17
#endif
#define QUOTED(x) #x
#define TEXT(x) QUOTED(x)
#define SIZE TEXT(COLUMNS) "x" TEXT(ROWS)

JSON("{\"abi\": 1, \"name\": \"connect4-" SIZE "\", \"title\": \"Connect Four " SIZE "\","
     "\"rules\": \"Drop discs into the columns in turn; the first to have four in a row, in any direction, wins.\","
     "\"tiers\": " TEXT(TIERS) ", \"loops\": [],"
     "\"board\": {\"drop\": true}, \"moves\": \"column\", \"pieces\": {\"X\": [0, \"counter\"], \"O\": [1, \"counter\"]}}")

// A column has ROWS+1 bits, the lowest cell first. The number of a position has the discs of the player
// to move, and a bit above the discs of each column. The tier is the number of discs.
#define H (ROWS + 1)
#define COLUMN ((1ull << H) - 1)

struct board {
	uint64_t mine, all;
};

static struct board board(uint64_t number) {
	struct board b = {0, 0};
	for (int c = 0; c < COLUMNS; c++) {
		uint64_t column = number >> (c * H) & COLUMN, top = 1ull << (63 - __builtin_clzll(column | 1));
		b.all |= (top - 1) << (c * H);
		b.mine |= (column ^ top) << (c * H);
	}
	return b;
}

// Mirror images are worth the same, so they share the lesser number as their key.
static uint64_t mirrored(uint64_t number) {
	uint64_t image = 0;
	for (int c = 0; c < COLUMNS; c++)
		image |= (number >> (c * H) & COLUMN) << ((COLUMNS - 1 - c) * H);
	return image;
}

static void put(int i, uint64_t number, uint32_t tier) {
	uint64_t image = mirrored(number);
	buffer.positions[i] = (struct position){number, number < image ? number : image, tier};
}

static uint64_t bottom(void) {
	uint64_t cells = 0;
	for (int c = 0; c < COLUMNS; c++)
		cells |= 1ull << (c * H);
	return cells;
}

static int four(uint64_t discs) {
	static const int steps[] = {1, H, H - 1, H + 1};
	for (int i = 0; i < 4; i++) {
		uint64_t two = discs & discs >> steps[i];
		if (two & two >> 2 * steps[i])
			return 1;
	}
	return 0;
}

void start(void) { put(0, bottom(), 0); }

int32_t expand(uint64_t number, uint32_t tier) {
	struct board b = board(number);
	uint64_t theirs = b.all ^ b.mine;
	if (four(theirs))
		return LOSE;
	if (tier == COLUMNS * ROWS)
		return DRAW;
	int moves = 0;
	for (int c = 0; c < COLUMNS; c++) {
		uint64_t column = COLUMN >> 1 << (c * H), cell = (b.all + (1ull << (c * H))) & ~b.all & column;
		if (cell)
			put(moves++, theirs + (b.all | cell) + bottom(), tier + 1);
	}
	return moves;
}

// The player who began is X.
int32_t format(uint64_t number, uint32_t tier) {
	struct board b = board(number);
	uint64_t x = tier & 1 ? b.all ^ b.mine : b.mine;
	char *to = buffer.text;
	for (int row = ROWS - 1; row >= 0; row--) {
		for (int c = 0; c < COLUMNS; c++) {
			int cell = c * H + row;
			*to++ = !(b.all >> cell & 1) ? '.' : x >> cell & 1 ? 'X' : 'O';
		}
		if (row > 0)
			*to++ = '/';
	}
	return to - buffer.text;
}

int32_t parse(uint32_t length) {
	const char *from = buffer.text;
	uint64_t x = 0, all = 0;
	int lead = 0, discs = 0;
	if (length != (COLUMNS + 1) * ROWS - 1)
		return 0;
	for (int row = ROWS - 1; row >= 0; row--) {
		for (int c = 0; c < COLUMNS; c++, from++) {
			uint64_t cell = 1ull << (c * H + row);
			if (*from == '.') {
				if (all & cell << 1) // a disc hangs above
					return 0;
				continue;
			}
			if (*from != 'X' && *from != 'O')
				return 0;
			all |= cell;
			discs++;
			x |= *from == 'X' ? cell : 0;
			lead += *from == 'X' ? 1 : -1;
		}
		if (row > 0 && *from++ != '/')
			return 0;
	}
	if (lead != 0 && lead != 1)
		return 0;
	put(0, (lead ? all ^ x : x) + all + bottom(), discs);
	return 1;
}

// 0 if the player who began is to move, else 1.
EXPORT(turn) int32_t turn(uint64_t number, uint32_t tier) { return tier & 1; }

// Positions that share the key of this one, for the check of the rules.
EXPORT(images) int32_t images(uint64_t number, uint32_t tier) {
	put(0, mirrored(number), tier);
	return 1;
}
