// Code generated from openapi.yaml by npm run types in tools/apitypes; DO NOT EDIT.

export interface components {
    schemas: {
        /** @enum {string} */
        Outcome: "win" | "lose" | "draw";
        /** @description In games with a score: the difference of discs under best play, for the player to move or the player who makes the move; empty cells count for the winner */
        Score: number;
        /** @description The Grundy value of the position, or of the one after the move, if it is known */
        Nimber: number;
        /**
         * @default optimal
         * @enum {string}
         */
        Policy: "optimal" | "shortest" | "trap";
        Steps: number | null;
        /** @description A problem document (RFC 9457) with further members */
        Error: {
            /**
             * @description `about:blank`: the status says what kind of problem it is
             * @example about:blank
             */
            type: string;
            /**
             * @description The status in words
             * @example Not Found
             */
            title: string;
            /** @example 404 */
            status: number;
            /** @description The cause and the remedy */
            detail: string;
            /** @description The same sentence */
            error: string;
            /** @description The name of a wrong parameter */
            parameter?: string;
            /** @description The place of the error in the text of a position or move */
            column?: number;
            request_id: string;
        };
        JobRequest: {
            /** @example quixo */
            game: string;
            size: components["schemas"]["BoardSize"];
            /**
             * @description Whether to find the steps to the end
             * @default false
             */
            has_steps: boolean;
            /**
             * @description Solves the game after these moves, as in other addresses
             * @example c3
             */
            after?: string;
            /**
             * @description Whether to write the table packed, which takes less disk and more time
             * @default false
             */
            packed: boolean;
            /**
             * @description Whether to discard an interrupted solve with other options
             * @default false
             */
            force: boolean;
        };
        Plan: {
            game: string;
            size: components["schemas"]["BoardSize"];
            has_steps: boolean;
            /**
             * Format: int64
             * @description States to solve, 0 if they cannot be estimated
             */
            stored_states: number;
            /**
             * Format: int64
             * @description If the states are estimated from samples: with 95 % probability there are at least this many
             */
            stored_states_low?: number;
            /**
             * Format: int64
             * @description And at most this many; absent if the samples give no upper bound
             */
            stored_states_high?: number;
            /** Format: int64 */
            memory_bytes: number;
            /** Format: int64 */
            disk_bytes: number;
            /**
             * Format: double
             * @description Estimated time
             */
            seconds: number;
            /**
             * Format: double
             * @description The time for stored_states_low
             */
            seconds_low?: number;
            /**
             * Format: double
             * @description The time for stored_states_high
             */
            seconds_high?: number;
            /** @description Whether the server accepts the job */
            possible: boolean;
            /** @description Why it does not */
            why?: string;
            /** @description What the client can do about it, if anything */
            remedy?: string;
        };
        Job: {
            id: string;
            game: string;
            size: components["schemas"]["BoardSize"];
            has_steps: boolean;
            /** @description As requested */
            after?: string;
            /** @description As requested */
            packed?: boolean;
            /** @enum {string} */
            state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
            /** Format: date-time */
            created: string;
            plan: components["schemas"]["Plan"];
            /**
             * Format: double
             * @description How long it has run
             */
            seconds: number;
            progress?: components["schemas"]["Progress"];
            /** @description Why it failed */
            reason?: string;
        };
        Progress: {
            /**
             * @description The current part
             * @example class 12
             */
            at: string;
            /** @example states */
            unit: string;
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            total: number;
            /** Format: double */
            per_second: number;
            /**
             * Format: double
             * @description Null if unknown
             */
            seconds_left: number | null;
        };
        JobList: {
            jobs: components["schemas"]["Job"][];
        };
        GameList: {
            /** @description Whether the server solves boards */
            jobs: boolean;
            games: components["schemas"]["GameInfo"][];
        };
        GameInfo: {
            /**
             * @description `{game}` in addresses
             * @example quixo
             */
            name: string;
            /**
             * @description The name in headings
             * @example Quixo
             */
            title: string;
            /**
             * @description Titles in other languages, by language tag, if they differ
             * @example {
             *       "de": "Dawsons Schach",
             *       "fr": "Échecs de Dawson"
             *     }
             */
            titles?: {
                [key: string]: string;
            };
            /** @description The rules in a sentence or two */
            summary: string;
            /**
             * @description How positions are written. `grid`: n rows of n cells, separated by slashes, each X, O or a dot, and the side to move after a
             *     space if `marks` is 2. `heaps`: numbers of counters, separated by slashes, and a space and an o if o is to move. `row`: n
             *     files, each a dot, an X or, beside an X, a hyphen. `nine`: a grid of nine rows, which are nine boards of nine cells, the side
             *     to move, and the board to play in, named like a cell of a 3×3 grid, or a hyphen for any. `boards`: n boards of three rows of
             *     three cells, separated by plus signs. `rows`: rows of equal length, separated by slashes, each cell a character, a dot if it
             *     is empty; what follows a plus sign or a space is not on the board. `text`: any text, drawn by `diagram` of the answers. Absent for
             *     other notations.
             * @enum {string}
             */
            board?: "grid" | "heaps" | "row" | "nine" | "boards" | "rows" | "text";
            layout?: components["schemas"]["Layout"];
            /** @description 2: the first player marks X, the second O; 1: both mark X; 0: no marks */
            marks: number;
            /**
             * @description How a move is written, as the end of the sentence `a move is …`
             * @example the cell that is marked
             */
            move_form: string;
            /**
             * @description What a move does. `mark`: marks the named empty cell. `push`: takes the tile of the first named cell, shifts the tiles from
             *     there to the second by a cell, and inserts it at the second with the player's mark. `enclose`: marks an empty cell and flips
             *     the opponent's marks in straight lines between it and another of the player's; a player who can enclose none plays `pass`.
             *     Absent for other moves.
             * @enum {string}
             */
            move_kind?: "mark" | "push" | "enclose";
            /**
             * @description A full row, column or main diagonal of one mark wins for its owner, or loses for the player who completed it. Absent if
             *     lines decide nothing.
             * @enum {string}
             */
            complete_line?: "wins" | "loses";
            /**
             * @description The last possible move wins or loses for the player who makes it. Absent if something else decides.
             * @enum {string}
             */
            last_move?: "wins" | "loses";
            /**
             * @description `square`: the eight symmetries of the square. `lines`: all permutations of the cells that map rows, columns and main
             *     diagonals to such lines. Symmetric positions have the same value. Absent if these symmetries do not hold.
             * @enum {string}
             */
            symmetries?: "square" | "lines";
            /** @description Whether some boards can have tables */
            tables: boolean;
            /** @description The boards by size, including those too large for a table */
            boards: components["schemas"]["BoardInfo"][];
        };
        /** @description How to draw the game's board and pieces */
        Layout: {
            /** @description One of `grid`, `points`, `columns` with `rows`, and `heaps`. Cells are named like a1, at the bottom left */
            board: {
                /** @description Columns and rows */
                grid?: number[];
                /** @description Cells missing from the grid */
                holes?: string[];
                /** @description Specially marked cells */
                marked?: string[];
                /** @description How far right and up each point is */
                points?: {
                    [key: string]: number[];
                };
                /** @description Lines through points or cells */
                lines?: string[][];
                columns?: number;
                rows?: number;
                /** @description Pieces fall to the lowest free cell */
                drop?: boolean;
                heaps?: number;
            };
            /** @description The cell of each character of a position, unless they go by rows */
            order?: string[];
            /** @description The names of the first and the second player */
            sides?: string[];
            /**
             * @description For each character in positions, the piece's owner (0, 1, or -1 for neither) and its form
             * @example {
             *       "X": [
             *         0,
             *         "disc"
             *       ]
             *     }
             */
            pieces?: {
                [key: string]: unknown[];
            };
            /** @description How moves are read: `place` d7, `from-to` a1d1 and then what is taken, `column` the cell where a disc lands */
            moves?: string;
            /** @description Why games end */
            ends?: {
                [key: string]: string;
            };
            /** @description Translations, by language tag */
            texts?: {
                [key: string]: {
                    [key: string]: string;
                };
            };
            /** @description A position worth showing */
            example?: string;
        };
        /**
         * @description `{size}` in addresses: n of the n×n board, or the word for a board that is not square or of a variant, 4x5 or 5x5,torus
         * @example 4
         */
        BoardSize: number | string;
        BoardInfo: {
            size: components["schemas"]["BoardSize"];
            /**
             * @description The board in the names of tables
             * @example 4x4
             */
            variant: string;
            /** @description The initial position */
            start: string;
            /** @description A position before the end that shows the notation */
            example: string;
            source?: components["schemas"]["Source"];
            /** @description With `source`, for boards without tables: whether steps are known */
            has_steps?: boolean;
        };
        TableList: {
            tables: components["schemas"]["TableEntry"][];
        };
        /** @description A table file, with either `error` or all other fields; `directory` and `after` are optional */
        TableEntry: {
            /** @example quixo-4x4.tb */
            file: string;
            /** @description The base name of its directory, if the server has several */
            directory?: string;
            game?: string;
            size?: components["schemas"]["BoardSize"];
            /** @description The cells marked from the start, if any */
            after?: string[];
            has_steps?: boolean;
            /**
             * Format: int64
             * @description All states of the game
             */
            states?: number;
            start?: components["schemas"]["Start"];
            /** Format: int64 */
            bytes?: number;
            /**
             * Format: int64
             * @description The length of a packed file, else 0
             */
            packed_bytes?: number;
            /** @description Identifies the contents of the table */
            identity?: string;
            /** @description Why the table cannot be read */
            error?: string;
        };
        Start: {
            position: string;
            outcome: components["schemas"]["Outcome"];
            steps: components["schemas"]["Steps"];
            nimber?: components["schemas"]["Nimber"];
        };
        Counts: {
            /** Format: int64 */
            states: number;
            /** Format: int64 */
            wins: number;
            /** Format: int64 */
            losses: number;
            /** Format: int64 */
            draws: number;
            /** Format: int64 */
            terminal_wins: number;
            /** Format: int64 */
            terminal_losses: number;
        };
        StepsCount: {
            steps: number;
            /** Format: int64 */
            wins: number;
            /** Format: int64 */
            losses: number;
        };
        NimberCount: {
            nimber: number;
            /** Format: int64 */
            states: number;
        };
        ClassCounts: components["schemas"]["Counts"] & {
            /** @description The number of marked cells in its masks */
            class: number;
            blocks: number;
            /** Format: int64 */
            block_states: number;
            steps: components["schemas"]["StepsCount"][];
            nimbers?: components["schemas"]["NimberCount"][];
        };
        StonesCounts: components["schemas"]["Counts"] & {
            /** @description Stones of the player to move */
            mover: number;
            /** @description Stones of the opponent */
            other: number;
        };
        Longest: {
            steps: number;
            /**
             * Format: int64
             * @description States with this many steps
             */
            count: number;
            /** @description One of them */
            position: string;
        } | null;
        /** @description Counts are of all states of the game, symmetric ones included, with the player to move fixed */
        Table: {
            game: string;
            size: components["schemas"]["BoardSize"];
            after?: string[];
            has_steps: boolean;
            /** @description The table has only the emptiest classes */
            opening?: boolean;
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            packed_bytes: number;
            identity: string;
            /** Format: int64 */
            stored_states: number;
            start: components["schemas"]["Start"];
            total: components["schemas"]["Counts"];
            classes: components["schemas"]["ClassCounts"][];
            stones: components["schemas"]["StonesCounts"][];
            steps: components["schemas"]["StepsCount"][];
            /** @description States by nimber, if the table has nimbers; terminal ones have none */
            nimbers?: components["schemas"]["NimberCount"][];
            longest_win: components["schemas"]["Longest"];
            longest_loss: components["schemas"]["Longest"];
        };
        Move: {
            move: string;
            outcome: components["schemas"]["Outcome"];
            steps: components["schemas"]["Steps"];
            nimber?: components["schemas"]["Nimber"];
            score?: components["schemas"]["Score"];
            /** @description The position after the move */
            position: string;
        };
        LegalMove: {
            move: string;
            outcome?: components["schemas"]["Outcome"];
            /** @description Plies to the end, if known */
            steps?: number;
            nimber?: components["schemas"]["Nimber"];
            score?: components["schemas"]["Score"];
            /** @description The position after the move */
            position: string;
        };
        LegalMoves: {
            game: string;
            size: components["schemas"]["BoardSize"];
            position: string;
            outcome?: components["schemas"]["Outcome"];
            /** @description Plies to the end, if known */
            steps?: number;
            nimber?: components["schemas"]["Nimber"];
            score?: components["schemas"]["Score"];
            /** @description The game is over; there are no moves then */
            terminal: boolean;
            source?: components["schemas"]["Source"];
            /** @description A drawing in lines of text, if `board` of the game is `text` */
            diagram?: string;
            /** @description Why the game has ended, if its rules say so */
            end?: string;
            moves: components["schemas"]["LegalMove"][];
        };
        Playouts: {
            game: string;
            size: components["schemas"]["BoardSize"];
            position: string;
            iterations: number;
            /** Format: int64 */
            seed: number;
            move: components["schemas"]["LegalMove"];
            estimate: components["schemas"]["Estimate"];
        };
        /** @description What the search found for the player who moves: the mean result of the playouts of the move, 1 for a win and 0.5 for a draw, with Wilson's interval of 95 % for chance alone. It is not exact: deeper search may leave the interval. */
        Estimate: {
            /** Format: double */
            mean: number;
            /** Format: double */
            low: number;
            /** Format: double */
            high: number;
            /** @description Playouts of the move */
            visits: number;
        };
        Answer: {
            game: string;
            size: components["schemas"]["BoardSize"];
            position: string;
            outcome: components["schemas"]["Outcome"];
            steps: components["schemas"]["Steps"];
            nimber?: components["schemas"]["Nimber"];
            score?: components["schemas"]["Score"];
            /** @description The game is over; there are no moves then */
            terminal: boolean;
            source: components["schemas"]["Source"];
            /** @description A drawing in lines of text, if `board` of the game is `text` */
            diagram?: string;
            /** @description Why the game has ended, if its rules say so */
            end?: string;
            moves: components["schemas"]["Move"][];
        };
        /**
         * @description Where the answer comes from: a table, the second player's pairing, a formula for the whole game, a search, or the rules if the game is over and there is no table.
         * @enum {string}
         */
        Source: "table" | "pairing" | "formula" | "search" | "rules";
        BatchError: {
            /** Format: int64 */
            line: number;
            error: string;
        };
        Value: {
            outcome: components["schemas"]["Outcome"];
            steps: components["schemas"]["Steps"];
        };
        BatchItem: components["schemas"]["Answer"] | components["schemas"]["BatchError"] | components["schemas"]["Value"];
        Ply: {
            move: string;
            position: string;
        };
        LineAnswer: {
            game: string;
            size: components["schemas"]["BoardSize"];
            position: string;
            outcome: components["schemas"]["Outcome"];
            steps: components["schemas"]["Steps"];
            nimber?: components["schemas"]["Nimber"];
            score?: components["schemas"]["Score"];
            terminal: boolean;
            source: components["schemas"]["Source"];
            /** @description A drawing in lines of text, if `board` of the game is `text` */
            diagram?: string;
            /** @description Why the game has ended, if its rules say so */
            end?: string;
            moves: components["schemas"]["Move"][];
            line: {
                plies: components["schemas"]["Ply"][];
                /** @description The ply of the earlier occurrence of the last position */
                repeats: number | null;
                /** @description Present if max_plies cut the line */
                truncated?: boolean;
            };
        };
        Choice: {
            game: string;
            size: components["schemas"]["BoardSize"];
            /** @description The position asked about */
            position: string;
            policy: components["schemas"]["Policy"];
            /** Format: double */
            blunder: number;
            /**
             * Format: int64
             * @description Gives the same move again
             */
            seed: number;
            outcome: components["schemas"]["Outcome"];
            steps: components["schemas"]["Steps"];
            move: components["schemas"]["Move"];
        };
        OpponentList: {
            opponents: components["schemas"]["Opponent"][];
        };
        Opponent: {
            /**
             * @description `opponent` in addresses
             * @example net
             */
            name: string;
            /**
             * @description The kind of agent
             * @example zero
             */
            kind: string;
            /**
             * @description How such agents play
             * @example tree search by a network that lab train has made
             */
            summary: string;
            /** @description The game it plays, if it plays on one board only */
            game?: string;
            size?: components["schemas"]["BoardSize"];
        };
        Reply: {
            game: string;
            size: components["schemas"]["BoardSize"];
            /** @description The position asked about */
            position: string;
            /** @description Who plays */
            opponent: string;
            /**
             * Format: int64
             * @description Gives the same move again
             */
            seed: number;
            /** @description The move */
            move: string;
            /** @description The position after the move */
            after: string;
        };
        UwapiGame: {
            /** @example quixo */
            id: string;
            /** @example Quixo */
            name: string;
            /** @enum {string} */
            type: "twoPlayer";
            /**
             * @description v2 for boards of cells, v0 for texts alone
             * @enum {string}
             */
            gui: "v2" | "v0";
        };
        UwapiVariantName: {
            /** @example 4x4 */
            id: string;
            /** @example 4×4 */
            name: string;
            /**
             * @description v2 for boards of cells, v0 for texts alone
             * @enum {string}
             */
            gui: "v2" | "v0";
        };
        UwapiVariants: {
            /** @example quixo */
            id: string;
            /** @example Quixo */
            name: string;
            allowCustomVariantCreation: boolean;
            supportsWinBy: boolean;
            variants: components["schemas"]["UwapiVariantName"][];
        };
        UwapiVariant: {
            /** @example 4x4 */
            id: string;
            /** @example 4×4 */
            name: string;
            /**
             * @description v2 for boards of cells, v0 for texts alone
             * @enum {string}
             */
            gui: "v2" | "v0";
            /** @example ..../..../..../.... x */
            startPosition: string;
            /** @example 1_---------------- */
            autoguiStartPosition: string;
            /** @description How the board is drawn, if gui is v2 */
            imageAutoGUIData?: {
                [key: string]: unknown;
            };
        };
        UwapiAnswer: {
            position: string;
            autoguiPosition: string;
            positionValue: components["schemas"]["UwapiValue"];
            remoteness: components["schemas"]["Remoteness"];
            /** @description The best first */
            moves: components["schemas"]["UwapiMove"][];
        };
        UwapiMove: {
            move: string;
            autoguiMove: string;
            moveValue: components["schemas"]["UwapiValue"];
            /** @description The difference from the best move of the same value */
            deltaRemoteness: number;
            /** @description The one after the move */
            position: string;
            autoguiPosition: string;
            positionValue: components["schemas"]["UwapiValue"];
            remoteness: components["schemas"]["Remoteness"];
        };
        /**
         * @description A tie is a draw that ends the game, a draw is endless play. In a game with both, a drawn position is a tie only if the game is over or a move ends it
         * @enum {string}
         */
        UwapiValue: "win" | "lose" | "tie" | "draw";
        /** @description Steps to the end; −200 for a draw, which has none, −100 if unknown */
        Remoteness: number;
        UwapiInstructions: {
            /** @description Markdown */
            instructions: string;
        };
    };
}
