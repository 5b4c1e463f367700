package wire

import (
	"bufio"
	"io"
	"net/http"
)

// Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Close says that the server ends the connection after the answer.
	Close bool
}

// readAnswer reads an answer, skipping interim ones. Its errors are those of Whole.
func readAnswer(in *bufio.Reader) (Answer, error) {
	for {
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			return Answer{}, err
		}
		a, err := Whole(r)
		if err != nil || a.Status >= 200 || a.Status == http.StatusSwitchingProtocols {
			return a, err
		}
	}
}

// Whole reads the body of an answer and closes it. With an error, the answer has
// what came of it.
func Whole(r *http.Response) (Answer, error) {
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return Answer{r.StatusCode, r.Header, body, r.Close}, err
}
