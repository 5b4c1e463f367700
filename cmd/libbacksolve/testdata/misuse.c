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
	backsolve_state state = {7, 7, 7};
	WANT(backsolve_parse(table, NULL, &state, MESSAGE), BACKSOLVE_INPUT, "position is NULL");
	WANT(backsolve_parse(table, empty, NULL, MESSAGE), BACKSOLVE_INPUT, "state is NULL");
	WANT(backsolve_parse(table, "startpos moves a1c1 a1a1", &state, MESSAGE), BACKSOLVE_INPUT, "move 2: ");
	CHECK(state.x == 7 && state.o == 7 && state.o_to_move == 7);
	WANT(backsolve_parse(table, "startpos moves a1c1", &state, MESSAGE), BACKSOLVE_OK, "");
	CHECK(state.x == 256 && state.o == 0 && state.o_to_move == 1);
	backsolve_value after = {7, 7}, same = {8, 8};
	WANT(backsolve_probe(table, "startpos moves a1c1", &after, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_probe(table, ".../.../..X o", &same, MESSAGE), BACKSOLVE_OK, "");
	CHECK(after.outcome == same.outcome && after.steps == same.steps);
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
		WANT(backsolve_describe(wrong[i], &board, MESSAGE), BACKSOLVE_CLOSED, "not open");
		WANT(backsolve_probe(wrong[i], empty, &value, MESSAGE), BACKSOLVE_CLOSED, "not open");
		WANT(backsolve_probe_masks(wrong[i], 0, 0, 0, &value, MESSAGE), BACKSOLVE_CLOSED, "not open");
		int32_t nimber;
		WANT(backsolve_nimber(wrong[i], empty, &nimber, MESSAGE), BACKSOLVE_CLOSED, "not open");
		WANT(backsolve_rank(wrong[i], empty, NULL, 0, NULL, MESSAGE), BACKSOLVE_CLOSED, "not open");
		WANT(backsolve_close(wrong[i], MESSAGE), BACKSOLVE_CLOSED, "not open");
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

/* All states of the game with X to move, in one call and one by one, and those that the table stores. */
static void many_states(backsolve_table table) {
	static backsolve_state states[19683], stored[19683];
	static backsolve_value values[19683], again[19683];
	static uint32_t images[19683];
	backsolve_value value;
	size_t count = 0, all = 0;
	uint64_t total = 0;
	for (int n = 0; n < 19683; n++)
		for (int cell = 0, rest = n; cell < 9; cell++, rest /= 3) {
			states[n].x |= (uint64_t)(rest % 3 == 1) << cell;
			states[n].o |= (uint64_t)(rest % 3 == 2) << cell;
		}
	WANT(backsolve_values(table, states, 19683, values, MESSAGE), BACKSOLVE_OK, "");
	for (int n = 0; n < 19683; n++)
		CHECK(backsolve_probe_masks(table, states[n].x, states[n].o, 0, &value, NULL, 0) == BACKSOLVE_OK &&
		      value.outcome == values[n].outcome && value.steps == values[n].steps);
	WANT(backsolve_read(table, 0, stored, again, images, 19683, &count, &total, MESSAGE), BACKSOLVE_OK, "");
	CHECK(count == total && count > 2000);
	WANT(backsolve_values(table, stored, count, values, MESSAGE), BACKSOLVE_OK, "");
	for (size_t i = 0; i < count; i++) {
		all += images[i];
		CHECK(values[i].outcome == again[i].outcome && values[i].steps == again[i].steps);
	}
	CHECK(all == 19683);
	WANT(backsolve_read(table, count, NULL, NULL, NULL, 0, &count, &total, MESSAGE), BACKSOLVE_OK, "");
	CHECK(count == 0);
	WANT(backsolve_read(table, UINT64_MAX, stored, again, images, 5, &count, &total, MESSAGE), BACKSOLVE_OK, "");
	CHECK(count == 0);
	states[700].o_to_move = 1ULL << 32;
	WANT(backsolve_values(table, states, 19683, values, MESSAGE), BACKSOLVE_INPUT, "state 700");
	WANT(backsolve_values(table, NULL, 1, values, MESSAGE), BACKSOLVE_INPUT, "states is NULL");
	WANT(backsolve_values(table, states, 1, NULL, MESSAGE), BACKSOLVE_INPUT, "values is NULL");
	WANT(backsolve_values(table, states, SIZE_MAX, values, MESSAGE), BACKSOLVE_INPUT, "fewer at once");
	WANT(backsolve_values(table, NULL, 0, NULL, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_read(table, 0, stored, again, NULL, 5, &count, &total, MESSAGE), BACKSOLVE_INPUT, "images is NULL");
	WANT(backsolve_read(table, 0, stored, again, images, 5, NULL, &total, MESSAGE), BACKSOLVE_INPUT, "count is NULL");
}

static int stop_at_once(void *context, uint64_t done, uint64_t total) {
	(*(int *)context)++;
	return done <= total;
}

static void boards_by_name(const char *path) {
	char dir[1000];
	int reports = 0;
	backsolve_table table = 0;
	backsolve_solving how = {.steps = 1, .progress = stop_at_once, .context = &reports};
	snprintf(dir, sizeof dir, "%s", path);
	*strrchr(dir, '/') = '\0';
	WANT(backsolve_open_board(BACKSOLVE_API, dir, "quixo:3", &table, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_close(table, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_open_board(BACKSOLVE_API, dir, "quixo:4", &table, MESSAGE), BACKSOLVE_NO_TABLE, "quixo");
	WANT(backsolve_open_board(BACKSOLVE_API, dir, "quixo:9", &table, MESSAGE), BACKSOLVE_INPUT, "no quixo board");
	WANT(backsolve_open_board(BACKSOLVE_API, dir, "quixo", &table, MESSAGE), BACKSOLVE_INPUT, "as in quixo 4");
	WANT(backsolve_open_board(BACKSOLVE_API + 1, dir, "quixo:3", &table, MESSAGE), BACKSOLVE_INPUT, "version 2");
	WANT(backsolve_open_board(BACKSOLVE_API, dir, NULL, &table, MESSAGE), BACKSOLVE_INPUT, "board is NULL");
	WANT(backsolve_solve(BACKSOLVE_API, dir, "quixo:4", &how, &table, MESSAGE), BACKSOLVE_FAILED, "stopped");
	CHECK(reports > 0);
	how.threads = -1;
	WANT(backsolve_solve(BACKSOLVE_API, dir, "quixo:3", &how, &table, MESSAGE), BACKSOLVE_INPUT, "-1 threads");
	WANT(backsolve_solve(BACKSOLVE_API, dir, "quixo:3", NULL, &table, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_close(table, MESSAGE), BACKSOLVE_OK, "");
}

static void played_games(void) {
	backsolve_games games = 0;
	backsolve_form form;
	int32_t actions[2] = {4, BACKSOLVE_LEAVE};
	char texts[2 * 16], moves[9 * 2];
	uint8_t legal[2 * 9], turns[2];
	int8_t results[2];
	WANT(backsolve_games_new(BACKSOLVE_API, "tictactoe:3", 2, &games, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_games_describe(games, &form, MESSAGE), BACKSOLVE_OK, "");
	CHECK(strcmp(form.game, "tictactoe") == 0 && strcmp(form.board, "grid") == 0);
	CHECK(form.marks == 2 && form.actions == 9 && form.numbered == 0);
	WANT(backsolve_games_step(games, actions, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_games_step(games, actions, MESSAGE), BACKSOLVE_INPUT, "action 4 is not legal");
	WANT(backsolve_games_observe(games, texts, 16, legal, turns, results, MESSAGE), BACKSOLVE_OK, "");
	CHECK(strcmp(texts, ".../.X./... o") == 0 && strcmp(texts + 16, ".../.../... x") == 0);
	CHECK(legal[3] == 1 && legal[4] == 0 && legal[9 + 4] == 1 && turns[0] == 1 && turns[1] == 0);
	CHECK(results[0] == BACKSOLVE_LEAVE);
	WANT(backsolve_games_moves(games, 0, moves, 2, MESSAGE), BACKSOLVE_OK, "");
	CHECK(memcmp(moves, "a3b3c3a2\0\0c2a1b1c1", 18) == 0);
	WANT(backsolve_games_set(games, "XXX/OO./... o\0\0\0.../.../... x\0\0", 16, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_games_observe(games, texts, 16, legal, turns, results, MESSAGE), BACKSOLVE_OK, "");
	CHECK(results[0] == BACKSOLVE_LOSE && results[1] == BACKSOLVE_LEAVE);
	WANT(backsolve_games_observe(games, texts, 4, legal, turns, results, MESSAGE), BACKSOLVE_INPUT, "wider fields");
	WANT(backsolve_games_observe(games, texts, 0, legal, turns, results, MESSAGE), BACKSOLVE_INPUT, "width");
	WANT(backsolve_games_observe(games, texts, SIZE_MAX, legal, turns, results, MESSAGE), BACKSOLVE_INPUT, "width");
	WANT(backsolve_games_observe(games, texts, 16, NULL, turns, results, MESSAGE), BACKSOLVE_INPUT, "legal is NULL");
	WANT(backsolve_games_step(games, NULL, MESSAGE), BACKSOLVE_INPUT, "actions is NULL");
	WANT(backsolve_games_moves(games, SIZE_MAX, moves, 2, MESSAGE), BACKSOLVE_INPUT, "there is no game");
	WANT(backsolve_games_rate(games, NULL, NULL, NULL, MESSAGE), BACKSOLVE_INPUT, "dir is NULL");
	WANT(backsolve_games_free(games, MESSAGE), BACKSOLVE_OK, "");
	WANT(backsolve_games_free(games, MESSAGE), BACKSOLVE_CLOSED, "not open");
	WANT(backsolve_games_draw(games, 1, MESSAGE), BACKSOLVE_CLOSED, "not open");
	WANT(backsolve_games_new(BACKSOLVE_API, "tictactoe:3", SIZE_MAX, &games, MESSAGE), BACKSOLVE_INPUT, "games");
	WANT(backsolve_games_new(BACKSOLVE_API, NULL, 1, &games, MESSAGE), BACKSOLVE_INPUT, "board is NULL");
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
	many_states(table);
	boards_by_name(argv[1]);
	played_games();
	WANT(backsolve_close(table, MESSAGE), BACKSOLVE_OK, "");
	wrong_handles(table);
	many_threads(argv[1]);
	cut_short(argv[2]);
	if (faults == 0)
		printf("nothing is wrong\n");
	return faults != 0;
}
