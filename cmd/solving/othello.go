package solving

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/search"
)

// enough is the memory for known positions beyond which 6×6 takes no less time.
const enough = 2 << 30

const noTable = "GAME is solved from its start by search, without a table"

var othelloRefuses = map[string]string{
	"steps": noTable, "outcomes": noTable, "grundy": noTable, "packed": noTable, "force": noTable,
	"plan": noTable, "down-to-class": noTable, "after": noTable, "keep": noTable,
}

// prove solves the start of a board of Othello by search, or checks what was found before.
func (s *solver) prove(cmd *cobra.Command, rules game.Grid) error {
	n := rules.Size()
	if n != 4 && n != 6 {
		return cli.Usagef("othello is solved from its start on boards of size 4 and 6; larger ones take too long")
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	o := search.ProofOptions{Threads: s.threads.Count, Bytes: int64(s.memory)}
	if standard := machine.StandardMemory(machine.AvailableMemory()); o.Bytes == 0 && standard > 0 {
		o.Bytes = min(standard, enough)
	}
	o.Bytes = cmp.Or(o.Bytes, enough)
	board := filepath.Join(s.dir, fmt.Sprintf("othello-%dx%d", n, n))
	o.Path = board + ".proof"
	lock, err := durable.Lock(board)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	p, stop := progress.Begin(cmd, "proof", fmt.Sprintf("othello %d×%d", n, n))
	o.Progress = p.Event
	proof, err := search.ProveOthello(cmd.Context(), rules, o)
	stop()
	if err != nil {
		return err
	}
	return cli.Print(cmd, proof, func(w io.Writer, p *search.Proof) error {
		_, err := fmt.Fprintf(w, "score      %+d for the player who begins\nline       %s\npositions  %s, by %s nodes in %.0f s\nfile       %s\n",
			p.Score, strings.Join(p.Line, " "), humanize.Comma(int64(p.Positions)), humanize.Comma(int64(p.Nodes)), p.Seconds, o.Path)
		return err
	})
}
