/*
 * backsolve.h - query tables of solved board games from C.
 *
 * Open a table once, query it from any number of threads, and close it:
 *
 *     backsolve_table table;
 *     backsolve_value value;
 *     char message[BACKSOLVE_MESSAGE_SIZE];
 *     if (backsolve_open(BACKSOLVE_API, "tables/quixo-4x4.tb", &table, message, sizeof message) != BACKSOLVE_OK ||
 *         backsolve_probe(table, "XXOO/O.XO/O..X/XXO. x", &value, message, sizeof message) != BACKSOLVE_OK)
 *         fprintf(stderr, "error: %s\n", message);
 *
 * Every function except backsolve_version returns a status and fills the caller's message
 * buffer: with a sentence that names the cause unless the status is BACKSOLVE_OK, and with the
 * empty string otherwise. The message is UTF-8, truncated to the buffer and terminated by a
 * zero. The buffer may be NULL or its size 0. On failure no other output is written.
 *
 * Strings end with a zero. The library keeps no memory of the caller and returns none to free.
 *
 * The library runs the Go runtime with its own threads. It cannot be unloaded, and a forked
 * child without exec cannot use it: load it in the child only.
 *
 * See docs/reference/library.md, and cmd/libbacksolve/examples for programs in C and Python.
 */
#ifndef BACKSOLVE_H
#define BACKSOLVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows with changes that programs built with an older
 * header could not use; backsolve_open refuses such programs. */
#define BACKSOLVE_API 1

/* Statuses: the exit statuses of tbquery, and one more. */
#define BACKSOLVE_OK 0
#define BACKSOLVE_FAILED 1    /* the work failed: a disk cannot be read */
#define BACKSOLVE_INPUT 2     /* an argument or a position is invalid */
#define BACKSOLVE_NO_TABLE 3  /* there is no such file, or an opening table lacks the position */
#define BACKSOLVE_BAD_TABLE 4 /* the file is not a table, is damaged, truncated or of a newer format */
#define BACKSOLVE_CLOSED 5    /* the handle is not of an open table */

/* Outcomes, for the player to move. */
#define BACKSOLVE_DRAW 0
#define BACKSOLVE_WIN 1
#define BACKSOLVE_LOSE 2

/* Enough for any message, position and list of moves. */
#define BACKSOLVE_MESSAGE_SIZE 1024
#define BACKSOLVE_POSITION_SIZE 80
#define BACKSOLVE_MAX_MOVES 256

/* The handle of an open table. 0 is none; handles are not reused. */
typedef uint64_t backsolve_table;

/* The value of a position for the player to move, or of a move for the player who makes it. */
typedef struct backsolve_value {
	int32_t outcome; /* BACKSOLVE_WIN, BACKSOLVE_DRAW or BACKSOLVE_LOSE */
	int32_t steps;   /* plies to the end under best play; -1 for a draw and if the table has none */
} backsolve_value;

/* A description of a table. */
typedef struct backsolve_board {
	char game[40];    /* quixo */
	int32_t size;     /* the n of the n by n board */
	int32_t marks;    /* 2: X and O; 1: every mark is an X, and positions have no side to move */
	int32_t steps;    /* whether the table has steps */
	int32_t opening;  /* whether it has only the emptiest positions */
	char start[BACKSOLVE_POSITION_SIZE]; /* the position that the game begins with */
} backsolve_board;

/* A legal move. */
typedef struct backsolve_move {
	char move[8];          /* its text: d1d4 */
	backsolve_value value; /* counted from the position before it */
	char position[BACKSOLVE_POSITION_SIZE]; /* the one after it */
} backsolve_move;

/* Returns the version of the library as text: v0.1.0. */
const char *backsolve_version(void);

/* Opens a table, packed or not, with the nimbers of its board if tbsolve put them beside it. api
 * is BACKSOLVE_API. */
int backsolve_open(uint32_t api, const char *path, backsolve_table *table, char *message, size_t message_size);

/* Closes a table after all calls in progress. Later calls return BACKSOLVE_CLOSED. */
int backsolve_close(backsolve_table table, char *message, size_t message_size);

/* Describes a table. */
int backsolve_describe(backsolve_table table, backsolve_board *board, char *message, size_t message_size);

/* Looks up the value of a position: its rows from top to bottom, separated by slashes, with X, O
 * or . for each cell, followed, if there are two sides, by a space and the side to move, x or o. */
int backsolve_probe(backsolve_table table, const char *position, backsolve_value *value, char *message, size_t message_size);

/* The same for bit masks: x and o have the cells with each mark, bit row*n + column with row 0 at
 * the top and column 0 on the left. o_to_move is 1 if the next mark is an O, otherwise 0. If every
 * mark is an X, o and o_to_move are 0. This is the fastest query. */
int backsolve_probe_masks(backsolve_table table, uint64_t x, uint64_t o, int o_to_move, backsolve_value *value,
                          char *message, size_t message_size);

/* Looks up the nimber (Grundy value) of a position: the size of the Nim heap that it equals in the
 * game in which no line may be completed and a player who cannot move loses. It is -1 if the game
 * is over or the table has no nimbers. */
int backsolve_nimber(backsolve_table table, const char *position, int32_t *nimber, char *message, size_t message_size);

/* Ranks the moves of a position: wins with the fewest steps first, then draws, then losses with
 * the most steps. Writes the first ones to moves, at most capacity; 1 gives only the best. Stores
 * the number of all in count unless it is NULL: 0 if the game is over. Moves of unknown value,
 * which leave an opening table, are left out, but never the best. */
int backsolve_rank(backsolve_table table, const char *position, backsolve_move *moves, size_t capacity, size_t *count,
                   char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
