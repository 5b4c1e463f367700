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
 * What stays: within one BACKSOLVE_API, functions keep their names, arguments and meaning, structs
 * their layout and macros their values. New functions, macros and structs may come.
 *
 * See docs/reference/library.md, cmd/libbacksolve/examples for a program in C, and python/ for a
 * package that uses all of it.
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
 * or . for each cell, followed, if there are two sides, by a space and the side to move, x or o. It
 * may be "startpos", the start, and moves may follow: "startpos moves a1d1 d4a4". */
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

/* ---- Many positions in one call. */

/* A position of a board of at most 8 by 8 cells, as in backsolve_probe_masks. Games that are defined
 * by their positions, as connect4-5x5, have none: their tables return BACKSOLVE_INPUT. */
typedef struct backsolve_state {
	uint64_t x, o, o_to_move;
} backsolve_state;

/* Reads the text of a position, as backsolve_probe does. */
int backsolve_parse(backsolve_table table, const char *position, backsolve_state *state, char *message, size_t message_size);

/* Opens the table of a board in a directory, packed or not: quixo 4, notakto 4x5, connect4-5x5. */
int backsolve_open_board(uint32_t api, const char *dir, const char *board, backsolve_table *table, char *message,
                         size_t message_size);

/* How backsolve_solve solves. Zeros are the defaults. */
typedef struct backsolve_solving {
	int32_t steps;   /* 1 to store the steps */
	int32_t nimbers; /* 1 to make a table of nimbers, too, in games that have them */
	int32_t threads; /* 0 for all cores */
	uint64_t memory; /* bytes that it may take, 0 for 1 GiB */
	/* Called about ten times a second from another thread, never twice at once; may be NULL. total
	 * is 0 while it is not known. A result other than 0 stops the solve. */
	int (*progress)(void *context, uint64_t done, uint64_t total);
	void *context; /* passed to progress */
} backsolve_solving;

/* Opens the table of a board in a directory, and solves the board first if there is none. how may
 * be NULL. A solve that was stopped returns BACKSOLVE_FAILED, and resumes when it is called again. */
int backsolve_solve(uint32_t api, const char *dir, const char *board, const backsolve_solving *how,
                    backsolve_table *table, char *message, size_t message_size);

/* Looks up the values of states. On failure the message names the first state that is wrong by its
 * number; those before it have values. */
int backsolve_values(backsolve_table table, const backsolve_state *states, size_t count, backsolve_value *values,
                     char *message, size_t message_size);

/* Reads stored states, from number first on, the fullest boards first: at most capacity. Symmetric
 * states are stored once, with X to move; images has how many states of the game each one stands for.
 * count is less than capacity only at the end. total is the number of all stored states. */
int backsolve_read(backsolve_table table, uint64_t first, backsolve_state *states, backsolve_value *values,
                   uint32_t *images, size_t capacity, size_t *count, uint64_t *total, char *message,
                   size_t message_size);

/* ---- Many games of one board, played at once: every game that tbquery knows.
 *
 * An action is the number of a move: of cells row by row from the top left, then of a pass; of Quixo's
 * pushes ordered by the cell taken, then by the one where it goes back in; in Nim by heap, then by
 * counters taken. Texts lie in fields of a fixed width, one after the other. A text ends at a zero or at
 * the end of its field. */

/* The handle of games. Calls with one handle wait for each other. */
typedef uint64_t backsolve_games;

/* An action that leaves a game as it is, and the value of an action that is not known. */
#define BACKSOLVE_LEAVE (-1)

/* The form of a game. */
typedef struct backsolve_form {
	char game[64];  /* quixo */
	char title[80]; /* for people, UTF-8 */
	char board[16]; /* the form of a position's text: grid, heaps, row, nine, boards, rows or text */
	int32_t marks;  /* as in backsolve_board, 0 if there are none */
	int32_t actions;  /* how many there are */
	int32_t numbered; /* 1 if actions only number the legal moves of a position by their names */
} backsolve_form;

/* Begins games of a board, and ends them. */
int backsolve_games_new(uint32_t api, const char *board, size_t count, backsolve_games *games, char *message,
                        size_t message_size);
int backsolve_games_free(backsolve_games games, char *message, size_t message_size);
int backsolve_games_describe(backsolve_games games, backsolve_form *form, char *message, size_t message_size);

/* Sets each game to the position of a text, which is read as by backsolve_probe, and leaves it as it is
 * if the text is empty. */
int backsolve_games_set(backsolve_games games, const char *texts, size_t width, char *message, size_t message_size);

/* Sets games to random positions that are not over, each as likely as any other, reachable or not. Only
 * boards of at most 8 by 8 cells have them. */
int backsolve_games_draw(backsolve_games games, uint64_t seed, char *message, size_t message_size);

/* Plays an action in each game. If one is not legal, no game changes. */
int backsolve_games_step(backsolve_games games, const int32_t *actions, char *message, size_t message_size);

/* Writes of each game the text of its position, 1 for each legal action, 0 or 1 for the player to move,
 * and the outcome for that player, BACKSOLVE_LEAVE if the game is not over. */
int backsolve_games_observe(backsolve_games games, char *texts, size_t width, uint8_t *legal, uint8_t *turns,
                            int8_t *results, char *message, size_t message_size);

/* Writes the text of each legal move of one game into the field of its action. */
int backsolve_games_moves(backsolve_games games, size_t game, char *texts, size_t width, char *message,
                          size_t message_size);

/* Looks up the value of each game and, unless actions is NULL, those of its actions for the player to
 * move: count times actions, BACKSOLVE_LEAVE twice for one that is not legal or not known. It asks the
 * table in dir; games without tables, such as Nim, need none. */
int backsolve_games_rate(backsolve_games games, const char *dir, backsolve_value *values, backsolve_value *actions,
                         char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
