package othello

import (
	"slices"
	"strings"
	"testing"

	"backsolve/game"
)

// ggf are games of the Generic Game Server (skatgame.net/mburo/ggs/game-archive/Othello), with their published
// results.
var ggf = []struct {
	record string
	result int // of black
}{
	{"(;GM[Othello]PC[GGS/os]DT[2000-4-16 11:13 EST]PB[fangr]PW[patzer]RB[1457.12]RW[1631.74]TI[15:00//02:00]TY[8]RE[-40.00]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[E6//4.09]W[F4/-48.50/0.93]B[C3//5.52]W[C4/-42.50/0.43]B[D3//1.70]W[D6/-39.50/0.28]B[F6//4.31]W[C6/-28.55/0.13]B[F5//2.17]W[G5/0.55/0.10]B[G6//2.21]W[E3/-30.57/0.02]B[F2//1.65]W[F7/-43.63/0.01]B[E7//4.71]W[F3/-43.63]B[H5//1.80]W[E2/-43.63]B[C5//5.10]W[B6/0.63]B[B4//6.88]W[B5/2.82]B[B3//8.30]W[A4/2.04]B[A3//3.06]W[H4/-2.55]B[H3//8.17]W[D8/-5.22/0.01]B[C7//9.61]W[D7/-2.40]B[C8//51.08]W[E8/0.90]B[C2//17.00]W[G4/4.05]B[F1//16.62]W[H6/6.88/0.01]B[G3//11.69]W[H2/12.51/0.01]B[A5//33.91]W[D2/15.19/0.01]B[E1//2.67]W[B2/13.64/0.01]B[B7//7.38]W[D1/15.94/0.01]B[G2//5.81]W[A6/15.89/0.01]B[A7//3.84]W[H1/27.21/0.01]B[F8//6.78]W[A8/29.49/0.01]B[B8//3.80]W[A2/29.39/0.01]B[A1//2.96]W[G1/30.62/0.01]B[C1//3.05]W[B1/30.46/0.01]B[H7//5.06]W[H8/40.00/0.01]B[pass//1.67]W[G7/40.00/0.01]B[pass//2.10]W[G8];)", -40},
	{"1 (;GM[Othello]PC[GGS/os]DT[2010.10.17_05:23:05.MDT]PB[hercule]PW[scorp+]RB[2082.33]RW[1669.67]TI[10:00//02:00]TY[8]RE[+6.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[D3//3.95]W[c5/-18.40/0.10]B[E6//2.30]W[d2/-2.42/0.04]B[C3//2.48]W[e3/0.46]B[F3//2.03]W[f5/2.46]B[F6//2.91]W[c2/0.46]B[F4//2.61]W[c4/-10.46]B[D6//4.02]W[g4/-10.49]B[G3//3.60]W[c6/16.49]B[B5//2.50]W[e2/0.49]B[B4//3.08]W[g5/-4.49]B[F2//3.18]W[h3/-4.56]B[H6//2.90]W[e7/-4.56]B[F7//3.07]W[c7/-4.56]B[D1//3.68]W[b6/-2.56]B[E8//3.37]W[d7/-2.56]B[G6//14.23]W[h5/0.30/0.01]B[C1//21.32]W[e1/0.76/0.01]B[C8//5.11]W[a3/-1.36]B[A4//3.36]W[a5/-1.43]B[D8//3.72]W[b7/-3.46]B[H4//3.05]W[b3/-3.42]B[H2//3.28]W[b1/-0.25]B[B2//3.29]W[h7/-6.00/0.02]B[H8//2.95]W[g2/-6.00]B[G1//3.37]W[g8/-6.00]B[F8//2.83]W[g7/-6.00]B[A7//3.00]W[a8/-6.00]B[B8//2.26]W[a6/-6.00]B[A2//2.76]W[a1/-6.00]B[H1//2.54]W[f1];)", 6},
}

// Games end as their records say. Their transcripts, with and without passes, and SGF give the same
// games.
func TestReadRecord(t *testing.T) {
	board := New(8)
	for _, c := range ggf {
		moves, ok, err := ReadRecord(board, c.record)
		if !ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
		p, err := game.PlayMoves(board, board.Start(), moves)
		if err != nil {
			t.Fatal(err)
		}
		if _, over := board.Terminal(p); !over || discs(p.X)-discs(p.O) != c.result {
			t.Errorf("the game ends with %s, published is %d", board.Format(p), c.result)
		}
		whole := strings.Join(moves, "")
		sgf := "(;FF[4]GM[2]SZ[8]AP[x:1]AB[ed][de]AW[dd][ee]PL[B]C[two\\] lines)\n(;B[a1\\]]"
		for i, m := range moves {
			letters := ""
			if m != game.PassText {
				letters = m[:1] + string('a'+m[1]-'1')
			}
			sgf += "\n;" + "BW"[i%2:][:1] + "[" + letters + "]C[(]"
		}
		for _, text := range []string{
			whole, strings.ToUpper(whole), " " + strings.Join(moves, "  ") + "\n", strings.ReplaceAll(whole, game.PassText, ""),
			strings.ReplaceAll(whole, game.PassText, "--"), sgf + ")(;B[a1])(;W[h8]))", sgf + ";B[tt];W[tt])",
		} {
			if got, ok, err := ReadRecord(board, text); !ok || err != nil || !slices.Equal(got, moves) {
				t.Errorf("%s: %v, %v, %v", text, got, ok, err)
			}
		}
	}
}

func discs(cells uint64) (n int) {
	for ; cells != 0; cells &= cells - 1 {
		n++
	}
	return n
}

func TestWrongRecords(t *testing.T) {
	for text, want := range map[string]string{
		"f5d6c4d3a1":           "move 5: the move a1 is not legal here",
		"(;GM[1]SZ[8];B[f5])":  "column 3: the record is not of a game from the start of this board",
		"(;GM[2]SZ[10];B[f5])": "column 8: the record is not of a game from the start",
		"(;GM[2]AB[aa];B[f5])": "column 8: the record is not",
		"(;GM[2]AW[d5];B[f5])": "column 8: the record is not",
		"(;GM[2]PL[W];W[f5])":  "column 8: the record is not",
		"(;GM[Othello]BO[8 " + strings.Repeat("-", 64) + " *])": "the record is not of a game",
		"(;GM[2];W[f5])":       "column 9: it is the other player's move",
		"(;GM[2];B[f5];B[f6])": "column 15: it is the other player's move",
		"(;GM[2];B[f9])":       "move 1: ",
		"(;GM[2])":             "column 9: the record has no moves",
		"(;":                   "column 3: the record has no moves",
		"(;GM[2];B[f5":         "the record has no moves",
	} {
		if moves, ok, err := ReadRecord(New(8), text); !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, %v", text, moves, ok, err)
		}
	}
	for _, text := range []string{"", "startpos", "X......./", "f5d6x", "f9", "("} {
		if _, ok, _ := ReadRecord(New(8), text); ok {
			t.Errorf("%q is taken for a record", text)
		}
	}
}

func FuzzReadRecord(f *testing.F) {
	for _, c := range ggf {
		f.Add(c.record)
	}
	f.Add("f5d6c3")
	f.Add("(;GM[2]AB[aa];B[--]")
	board := New(8)
	f.Fuzz(func(t *testing.T, text string) {
		moves, ok, err := ReadRecord(board, text)
		if !ok || err != nil {
			return
		}
		if _, err := game.PlayMoves(board, board.Start(), moves); err != nil {
			t.Errorf("%q: %v", moves, err)
		}
	})
}
