/*
 * Misuses every function, which must refuse, and calls them from many threads while tables are
 * closed. Its arguments are a table of Quixo 3x3 with steps, and a copy that it may damage. It
 * prints what is wrong, and exits with 0 if nothing is.
 */
#define _POSIX_C_SOURCE 200809L
#include <backsolve.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int faults;

static void check(int line, int is, const char *what) {
	if (!is) {
		faults++;
		printf("line %d: %s\n", line, what);
	}
}
#define CHECK(is) check(__LINE__, (is), #is)

/* The message of the last call. */
static char text[BACKSOLVE_MESSAGE_SIZE];

static void want(int line, int got, int status, const char *part) {
	if (got != status || strstr(text, part) == NULL || (status == BACKSOLVE_OK) != (text[0] == '\0')) {
		faults++;
		printf("line %d: status %d, \"%s\"; want status %d and \"%s\"\n", line, got, text, status, part);
	}
}
#define WANT(call, status, part) want(__LINE__, (call), (status), (part))
#define MESSAGE text, sizeof text

static const char empty[] = ".../.../... x";

static void null_arguments(const char *path, backsolve_table table) {
	backsolve_table other = 77;
	backsolve_value value = {7, 7};
	int32_t nimber = 7;
	WANT(backsolve_open(BACKSOLVE_API, NULL, &other, MESSAGE), BACKSOLVE_INPUT, "path is NULL");
	WANT(backsolve_open(BACKSOLVE_API, path, NULL, MESSAGE), BACKSOLVE_INPUT, "table is NULL");
	WANT(backsolve_open(BACKSOLVE_API + 1, path, &other, MESSAGE), BACKSOLVE_INPUT, "built for version 2 of the interface");
	WANT(backsolve_open(BACKSOLVE_API, "nowhere.tb", &other, MESSAGE), BACKSOLVE_NO_TABLE, "nowhere.tb");
	WANT(backsolve_open(BACKSOLVE_API, "/dev/null", &other, MESSAGE), BACKSOLVE_BAD_TABLE, "/dev/null");
	CHECK(other == 77);
	WANT(backsolve_describe(table, NULL, MESSAGE), BACKSOLVE_INPUT, "board is NULL");
	WANT(backsolve_probe(table, NULL, &value, MESSAGE), BACKSOLVE_INPUT, "position is NULL");
	WANT(backsolve_probe(table, empty, NULL, MESSAGE), BACKSOLVE_INPUT, "value is NULL");
	WANT(backsolve_probe(table, "X", &value, MESSAGE), BACKSOLVE_INPUT, "\"X\", column 2");
	WANT(backsolve_probe_masks(table, 0, 0, 0, NULL, MESSAGE), BACKSOLVE_INPUT, "value is NULL");
	WANT(backsolve_probe_masks(table, 1, 1, 0, &value, MESSAGE), BACKSOLVE_INPUT, "not a position");
	WANT(backsolve_probe_masks(table, 512, 0, 0, &value, MESSAGE), BACKSOLVE_INPUT, "not a position");
	WANT(backsolve_probe_masks(table, 0, 0, 2, &value, MESSAGE), BACKSOLVE_INPUT, "o_to_move is 2");
	WANT(backsolve_nimber(table, NULL, &nimber, MESSAGE), BACKSOLVE_INPUT, "position is NULL");
	WANT(backsolve_nimber(table, empty, NULL, MESSAGE), BACKSOLVE_INPUT, "nimber is NULL");
	WANT(backsolve_nimber(table, "X", &nimber, MESSAGE), BACKSOLVE_INPUT, "\"X\", column 2");
	CHECK(nimber == 7);
	WANT(backsolve_nimber(table, empty, &nimber, MESSAGE), BACKSOLVE_OK, "");
	CHECK(nimber == -1);
	WANT(backsolve_rank(table, NULL, NULL, 0, NULL, MESSAGE), BACKSOLVE_INPUT, "position is NULL");
	WANT(backsolve_rank(table, empty, NULL, 1, NULL, MESSAGE), BACKSOLVE_INPUT, "moves is NULL");
	WANT(backsolve_rank(table, "?", NULL, 0, NULL, MESSAGE), BACKSOLVE_INPUT, "not a cell");
	CHECK(value.outcome == 7 && value.steps == 7);
}

static void wrong_handles(backsolve_table closed) {
	const backsolve_table wrong[] = {0, closed, 12345, UINT64_MAX};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		backsolve_value value;
		backsolve_board board;
		WANT(backsolve_describe(wrong[i], &board, MESSAGE), BACKSOLVE_CLOSED, "not an open table");
		WANT(backsolve_probe(wrong[i], empty, &value, MESSAGE), BACKSOLVE_CLOSED, "not an open table");
		WANT(backsolve_probe_masks(wrong[i], 0, 0, 0, &value, MESSAGE), BACKSOLVE_CLOSED, "not an open table");
		int32_t nimber;
		WANT(backsolve_nimber(wrong[i], empty, &nimber, MESSAGE), BACKSOLVE_CLOSED, "not an open table");
		WANT(backsolve_rank(wrong[i], empty, NULL, 0, NULL, MESSAGE), BACKSOLVE_CLOSED, "not an open table");
		WANT(backsolve_close(wrong[i], MESSAGE), BACKSOLVE_CLOSED, "not an open table");
	}
}

/* Buffers of every length take what there is room for, and nothing behind it is written. */
static void small_buffers(backsolve_table table) {
	char whole[BACKSOLVE_MESSAGE_SIZE], buffer[BACKSOLVE_MESSAGE_SIZE];
	CHECK(backsolve_probe(table, "X", NULL, whole, sizeof whole) == BACKSOLVE_INPUT);
	for (size_t size = 0; size < 40; size++) {
		memset(buffer, '#', sizeof buffer);
		CHECK(backsolve_probe(table, "X", NULL, buffer, size) == BACKSOLVE_INPUT);
		CHECK(buffer[size] == '#');
		if (size > 0)
			CHECK(strlen(buffer) < size && strncmp(buffer, whole, strlen(buffer)) == 0);
	}
	CHECK(backsolve_probe(table, "X", NULL, NULL, 0) == BACKSOLVE_INPUT);
	CHECK(backsolve_probe(table, "X", NULL, NULL, 100) == BACKSOLVE_INPUT);
	CHECK(backsolve_probe(table, "X", NULL, buffer, SIZE_MAX) == BACKSOLVE_INPUT);
}

/* As many moves are written as there is room for, the same ones, and the count is of all. */
static void few_moves(backsolve_table table) {
	backsolve_move all[BACKSOLVE_MAX_MOVES], some[BACKSOLVE_MAX_MOVES];
	backsolve_value value;
	size_t count = 0, again = 0;
	WANT(backsolve_rank(table, empty, all, BACKSOLVE_MAX_MOVES, &count, MESSAGE), BACKSOLVE_OK, "");
	CHECK(count > 4 && count < BACKSOLVE_MAX_MOVES);
	for (size_t capacity = 0; capacity <= count; capacity++) {
		memset(some, '#', sizeof some);
		WANT(backsolve_rank(table, empty, some, capacity, &again, MESSAGE), BACKSOLVE_OK, "");
		CHECK(again == count && some[capacity].move[0] == '#');
		for (size_t i = 0; i < capacity; i++)
			CHECK(strcmp(some[i].move, all[i].move) == 0 && strcmp(some[i].position, all[i].position) == 0 &&
			      some[i].value.outcome == all[i].value.outcome && some[i].value.steps == all[i].value.steps);
	}
	WANT(backsolve_rank(table, empty, all, SIZE_MAX, NULL, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_probe(table, empty, &value, MESSAGE), BACKSOLVE_OK, "");
	CHECK(value.outcome == all[0].value.outcome && value.steps == all[0].value.steps);
	WANT(backsolve_rank(table, "XXX/.../... o", all, 8, &count, MESSAGE), BACKSOLVE_OK, "");
	CHECK(count == 0);
}

static void board_is_described(backsolve_table table) {
	backsolve_board board;
	WANT(backsolve_describe(table, &board, MESSAGE), BACKSOLVE_OK, "");
	CHECK(strcmp(board.game, "quixo") == 0 && strcmp(board.start, empty) == 0);
	CHECK(board.size == 3 && board.marks == 2 && board.steps == 1 && board.opening == 0);
	CHECK(strlen(backsolve_version()) > 0);
}

/* Threads that ask all positions with three cells marked, while tables are closed and opened. */

enum { THREADS = 8, ROUNDS = 200 };

struct worker {
	pthread_t thread;
	const char *path;
	_Atomic backsolve_table *shared;
	long answered, refused, wrong;
};

static void *work(void *argument) {
	struct worker *w = argument;
	for (int round = 0; round < ROUNDS; round++) {
		for (uint64_t cells = 0; cells < 512; cells++) {
			backsolve_value value, masks;
			char position[BACKSOLVE_POSITION_SIZE] = ".../.../... x";
			backsolve_table table = *w->shared;
			for (int cell = 0; cell < 9; cell++)
				if (cells >> cell & 1)
					position[cell + cell / 3] = 'X';
			int one = backsolve_probe(table, position, &value, NULL, 0);
			int two = backsolve_probe_masks(table, cells, 0, 0, &masks, NULL, 0);
			if (one == BACKSOLVE_OK && two == BACKSOLVE_OK && value.outcome == masks.outcome && value.steps == masks.steps)
				w->answered++;
			else if ((one == BACKSOLVE_OK || one == BACKSOLVE_CLOSED) && two == BACKSOLVE_CLOSED)
				w->refused++;
			else
				w->wrong++;
		}
	}
	return NULL;
}

static void *reopen(void *argument) {
	struct worker *w = argument;
	for (int round = 0; round < ROUNDS; round++) {
		backsolve_table next, old = *w->shared;
		if (backsolve_open(BACKSOLVE_API, w->path, &next, NULL, 0) != BACKSOLVE_OK)
			w->wrong++;
		else
			*w->shared = next;
		if (backsolve_close(old, NULL, 0) != BACKSOLVE_OK)
			w->wrong++;
	}
	return NULL;
}

static void many_threads(const char *path) {
	struct worker workers[THREADS + 1];
	_Atomic backsolve_table shared;
	backsolve_table first;
	long answered = 0, refused = 0;
	WANT(backsolve_open(BACKSOLVE_API, path, &first, MESSAGE), BACKSOLVE_OK, "");
	shared = first;
	for (int i = 0; i <= THREADS; i++) {
		workers[i] = (struct worker){.path = path, .shared = &shared};
		if (pthread_create(&workers[i].thread, NULL, i < THREADS ? work : reopen, &workers[i]) != 0) {
			perror("pthread_create");
			exit(1);
		}
	}
	for (int i = 0; i <= THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		CHECK(workers[i].wrong == 0);
		answered += workers[i].answered;
		refused += workers[i].refused;
	}
	CHECK(answered > 0 && answered + refused == (long)THREADS * ROUNDS * 512);
	WANT(backsolve_close(shared, MESSAGE), BACKSOLVE_OK, "");
}

/* A file that is cut short while it is mapped gives an error, and not a signal. */
static void cut_short(const char *path) {
	backsolve_table table;
	backsolve_value value;
	WANT(backsolve_open(BACKSOLVE_API, path, &table, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_probe(table, empty, &value, MESSAGE), BACKSOLVE_OK, "");
	if (truncate(path, 0) != 0) {
		perror(path);
		exit(1);
	}
	WANT(backsolve_probe(table, empty, &value, MESSAGE), BACKSOLVE_BAD_TABLE, "cut short");
	WANT(backsolve_close(table, MESSAGE), BACKSOLVE_OK, "");
}

int main(int argc, char **argv) {
	backsolve_table table;
	if (argc != 3) {
		fprintf(stderr, "usage: %s TABLE COPY\n", argv[0]);
		return 2;
	}
	WANT(backsolve_open(BACKSOLVE_API, argv[1], &table, MESSAGE), BACKSOLVE_OK, "");
	board_is_described(table);
	null_arguments(argv[1], table);
	small_buffers(table);
	few_moves(table);
	WANT(backsolve_close(table, MESSAGE), BACKSOLVE_OK, "");
	wrong_handles(table);
	many_threads(argv[1]);
	cut_short(argv[2]);
	if (faults == 0)
		printf("nothing is wrong\n");
	return faults != 0;
}
