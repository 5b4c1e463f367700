/*
 * backsolve.h - ask tables of solved board games from C.
 *
 * A table is opened once, asked from any number of threads, and closed:
 *
 *     backsolve_table table;
 *     backsolve_value value;
 *     char message[BACKSOLVE_MESSAGE_SIZE];
 *     if (backsolve_open(BACKSOLVE_API, "tables/quixo-4x4.tb", &table, message, sizeof message) != BACKSOLVE_OK ||
 *         backsolve_probe(table, "XXOO/O.XO/O..X/XXO. x", &value, message, sizeof message) != BACKSOLVE_OK)
 *         fprintf(stderr, "error: %s\n", message);
 *
 * Every function but backsolve_version returns a status. Unless that is BACKSOLVE_OK, it
 * writes a sentence with the cause into the caller's buffer, as UTF-8, cut off where
 * the buffer ends and always with a zero behind it; the buffer is emptied otherwise. It may be
 * NULL, or its size 0, if nobody wants to know. What a function was to give is not
 * written then.
 *
 * Texts that are handed over end with a zero. No memory that is handed over is kept, and
 * none that a caller would have to free is given.
 *
 * The library runs the Go runtime with threads of its own. It stays loaded until the process
 * ends, and a child of a fork without exec cannot use it any more: load it in the child alone.
 *
 * docs/reference/library.md tells more, and cmd/libbacksolve/examples has programs in C and Python.
 */
#ifndef BACKSOLVE_H
#define BACKSOLVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when a program that was built with an older
 * header would be misunderstood; backsolve_open refuses such a program. */
#define BACKSOLVE_API 1

/* What a function returns: the exit statuses of tbquery, and one more. */
#define BACKSOLVE_OK 0
#define BACKSOLVE_FAILED 1    /* the work failed: a disk cannot be read */
#define BACKSOLVE_INPUT 2     /* an argument or a position cannot be understood */
#define BACKSOLVE_NO_TABLE 3  /* there is no such file, or an opening table ends before the position */
#define BACKSOLVE_BAD_TABLE 4 /* the file is no table, damaged, cut short, or of a newer format */
#define BACKSOLVE_CLOSED 5    /* the handle is not that of an open table */

/* Outcomes, for the player to move. */
#define BACKSOLVE_DRAW 0
#define BACKSOLVE_WIN 1
#define BACKSOLVE_LOSE 2

/* Enough for any sentence, position and list of moves. */
#define BACKSOLVE_MESSAGE_SIZE 1024
#define BACKSOLVE_POSITION_SIZE 80
#define BACKSOLVE_MAX_MOVES 256

/* An open table. 0 is none, and a number is not given twice. */
typedef uint64_t backsolve_table;

/* What a position is worth to the player to move, and a move to the player who makes it. */
typedef struct backsolve_value {
	int32_t outcome; /* BACKSOLVE_WIN, BACKSOLVE_DRAW or BACKSOLVE_LOSE */
	int32_t steps;   /* plies to the end under best play; -1 for a draw and where the table has none */
} backsolve_value;

/* What a table is of. */
typedef struct backsolve_board {
	char game[40];    /* quixo */
	int32_t size;     /* the n of the n by n board */
	int32_t marks;    /* 2: X and O; 1: every mark is an X, and no side to move is written */
	int32_t steps;    /* whether the table knows the steps to the end */
	int32_t opening;  /* whether it has the emptiest positions alone */
	char start[BACKSOLVE_POSITION_SIZE]; /* the position that the game begins with */
} backsolve_board;

/* A legal move. */
typedef struct backsolve_move {
	char move[8];          /* as it is written: d1d4 */
	backsolve_value value; /* counted from the position before it */
	char position[BACKSOLVE_POSITION_SIZE]; /* the one after it */
} backsolve_move;

/* Returns the version of the library, for people: v0.1.0. */
const char *backsolve_version(void);

/* Opens a table, packed or not, with the nimbers of its board that lie beside it under the name
 * that tbsolve gives them. api is BACKSOLVE_API. */
int backsolve_open(uint32_t api, const char *path, backsolve_table *table, char *message, size_t message_size);

/* Closes a table. Who asks it meanwhile in another thread is answered first; who comes later
 * gets BACKSOLVE_CLOSED. */
int backsolve_close(backsolve_table table, char *message, size_t message_size);

/* Says what a table is of. */
int backsolve_describe(backsolve_table table, backsolve_board *board, char *message, size_t message_size);

/* Looks up what a position is worth: its rows from top to bottom, separated by slashes, with
 * X, O or . for each cell, and where there are two sides a space and the side to move, x or o. */
int backsolve_probe(backsolve_table table, const char *position, backsolve_value *value, char *message, size_t message_size);

/* The same for a position in masks: x and o have the cells with each mark, bit row*n + column
 * with row 0 at the top and column 0 on the left. o_to_move is 1 where the next mark is an O and
 * else 0; where every mark is an X, it and o are 0. This is the fastest way to ask. */
int backsolve_probe_masks(backsolve_table table, uint64_t x, uint64_t o, int o_to_move, backsolve_value *value,
                          char *message, size_t message_size);

/* Looks up the nimber (Grundy value) of a position: the size of the heap of Nim that it equals in
 * the game in which no line may be completed and who cannot move loses. It becomes -1 where the
 * game is over and where the table has no nimbers. That of a move is that of its position. */
int backsolve_nimber(backsolve_table table, const char *position, int32_t *nimber, char *message, size_t message_size);

/* Ranks the moves of a position: wins, the fewest steps first, then draws, then losses, the most
 * steps first. The first capacity of them are written to moves, so 1 is for the best alone.
 * count, unless NULL, becomes the number of all: 0 where the game is over. Where an opening table
 * ends, moves of which it does not know what they are worth are left out, but never the best. */
int backsolve_rank(backsolve_table table, const char *position, backsolve_move *moves, size_t capacity, size_t *count,
                   char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
