/*
 * Prints what a table knows about a position, like tbquery: the outcome, the steps to the
 * end, and all moves from the best to the worst.
 *
 *     make build libbacksolve demo
 *     cc -Iinclude -o bin/probe cmd/libbacksolve/examples/probe.c -Lbin -lbacksolve -Wl,-rpath,"$PWD/bin"
 *     bin/probe tables/quixo-4x4.tb 'XXOO/O.XO/O..X/XXO. x'
 *
 * The exit status is that of the library, as of tbquery.
 */
#include <backsolve.h>
#include <stdio.h>
#include <string.h>

static const char *const outcomes[] = {"draw", "win", "lose"};

/* Formats a number, or a dash if it is negative. */
static const char *number(char text[12], int32_t n) {
	snprintf(text, 12, "%d", (int)n);
	return n < 0 ? "-" : text;
}

static int print_moves(backsolve_table table, const backsolve_move *moves, size_t count, int nimbers, char *message, size_t size) {
	char text[12];
	printf("\nmove  outcome  steps%s\n", nimbers ? "  nimber" : "");
	for (size_t i = 0; i < count; i++) {
		printf("%-4s  %-7s  %5s", moves[i].move, outcomes[moves[i].value.outcome], number(text, moves[i].value.steps));
		if (nimbers) {
			int32_t nimber;
			int status = backsolve_nimber(table, moves[i].position, &nimber, message, size);
			if (status != BACKSOLVE_OK)
				return status;
			printf("  %6s", number(text, nimber));
		}
		printf("\n");
	}
	return BACKSOLVE_OK;
}

static int ask(backsolve_table table, const char *position, char *message, size_t size) {
	backsolve_value value;
	backsolve_move moves[BACKSOLVE_MAX_MOVES];
	size_t count;
	int32_t nimber;
	char text[12];
	int status = backsolve_probe(table, position, &value, message, size);
	if (status == BACKSOLVE_OK)
		status = backsolve_nimber(table, position, &nimber, message, size);
	if (status == BACKSOLVE_OK)
		status = backsolve_rank(table, position, moves, BACKSOLVE_MAX_MOVES, &count, message, size);
	if (status != BACKSOLVE_OK)
		return status;
	printf("outcome  %s\nsteps    %s\n", outcomes[value.outcome], number(text, value.steps));
	if (nimber >= 0)
		printf("nimber   %d\n", (int)nimber);
	if (count > 0)
		return print_moves(table, moves, count, nimber >= 0, message, size);
	printf("\nThe game is over.\n");
	return BACKSOLVE_OK;
}

int main(int argc, char **argv) {
	char message[BACKSOLVE_MESSAGE_SIZE] = "";
	backsolve_table table;
	int status;
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("%s\n", backsolve_version());
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: %s TABLE POSITION\n", argv[0]);
		return BACKSOLVE_INPUT;
	}
	status = backsolve_open(BACKSOLVE_API, argv[1], &table, message, sizeof message);
	if (status == BACKSOLVE_OK) {
		status = ask(table, argv[2], message, sizeof message);
		backsolve_close(table, NULL, 0);
	}
	if (status != BACKSOLVE_OK)
		fprintf(stderr, "error: %s\n", message);
	return status;
}
