//go:build !amd64

package matrix

func blockVector([]float32, int, []float32, int, int, []float32, int) bool { return false }
func lineVector(_, _ []float32, _ int, _ []float32, _ int) bool            { return false }
func addVector(_, _ []float32) int                                         { return 0 }
func rectifyVector([]float32) int                                          { return 0 }
func gateVector(_, _ []float32) int                                        { return 0 }
func adamVector(_, _, _, _ []float32, _ *Rates) int                        { return 0 }
func tanhVector(_ []float32) int                                           { return 0 }
func sigmoidVector(_ []float32) int                                        { return 0 }
