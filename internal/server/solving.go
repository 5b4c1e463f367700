package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
	"backsolve/internal/server/jobs"
	"backsolve/internal/strict"
)

const eventMedia = "text/event-stream"

const maxJobRequest = 4 << 10 // bytes

var errNoJobs = refusal(http.StatusNotFound, "this server does not solve boards; its operator can allow it")

func jobError(err error) error {
	var limit *jobs.LimitError
	switch {
	case errors.Is(err, jobs.ErrFull), errors.Is(err, jobs.ErrRecord):
		return unavailable(time.Minute, err.Error())
	case errors.Is(err, jobs.ErrUnknown):
		return refusal(http.StatusNotFound, "%v", err)
	case errors.Is(err, jobs.ErrTaken):
		return refusal(http.StatusConflict, "%v", err)
	case errors.As(err, &limit), errors.As(err, new(*custom.Fault)):
		return refusal(http.StatusUnprocessableEntity, "%v", err)
	}
	return err
}

func (s handlers) GetPlan(w http.ResponseWriter, r *http.Request, params api.GetPlanParams) {
	failIf(w, s.plan(w, r, api.JobRequest{Game: params.Game, Size: params.Size, HasSteps: params.HasSteps, After: params.After, Packed: params.Packed}))
}

func (s handlers) ListJobs(w http.ResponseWriter, r *http.Request) {
	s.sendJSON(w, r, freshness{}, api.JobList{Jobs: s.jobs.List()})
}

func (s handlers) PostJob(w http.ResponseWriter, r *http.Request) {
	failIf(w, s.add(w, r))
}

func (s handlers) GetJob(w http.ResponseWriter, r *http.Request, id string) {
	failIf(w, s.get(w, r, id))
}

func (s handlers) DeleteJob(w http.ResponseWriter, r *http.Request, id string) {
	failIf(w, s.stop(w, r, id))
}

func (s handlers) plan(w http.ResponseWriter, r *http.Request, of api.JobRequest) error {
	board, err := boardOf(of)
	if err != nil {
		return err
	}
	if never := board.Unsolvable(); never != nil {
		return s.sendJSON(w, r, freshness{}, api.Plan{Game: of.Game, Size: of.Size, HasSteps: api.Or(of.HasSteps, false), Why: new(never.Error())})
	}
	if jobs.IsListed(of.Game) && !s.jobs.IsPlanned(of) && s.maySolve(r) != nil {
		return errDear
	}
	ctx, done, err := s.takeTime(r)
	if err != nil {
		return err
	}
	defer done()
	plan, err := s.jobs.Plan(ctx, of)
	if err != nil {
		return err
	}
	return s.sendJSON(w, r, freshness{}, plan)
}

func boardOf(of api.JobRequest) (*probe.Board, error) {
	if api.Or(of.Packed, false) && jobs.IsListed(of.Game) {
		return nil, &parameterError{"packed", errors.New("tables of this game can only be packed when they are complete")}
	}
	board, err := probe.NewBoard(of.Game, int(of.Size), api.Or(of.After, ""))
	return board, boardError(err)
}

func (s handlers) add(w http.ResponseWriter, r *http.Request) error {
	if err := s.maySolve(r); err != nil {
		return err
	}
	of, err := s.readRequest(w, r)
	if err != nil {
		return err
	}
	board, err := boardOf(of)
	if err != nil {
		return err
	}
	if err := board.Unsolvable(); err != nil {
		return err
	}
	if err := s.checkMissing(of); err != nil {
		return err
	}
	ctx, done, err := s.takeTime(r)
	if err != nil {
		return err
	}
	defer done()
	job, err := s.jobs.Add(ctx, of)
	if err != nil {
		return jobError(err)
	}
	h := w.Header()
	h["Location"], h["Cache-Control"] = []string{"/v1/jobs/" + job.Id}, noStore
	writeBody(w, http.StatusAccepted, jsonType, mustMarshal(job))
	return nil
}

// PostRules adds a game from its rules file.
func (s handlers) PostRules(w http.ResponseWriter, r *http.Request) { failIf(w, s.addRules(w, r)) }

func (s handlers) addRules(w http.ResponseWriter, r *http.Request) error {
	if err := s.maySolve(r); err != nil {
		return err
	}
	rules, err := readBody(w, r, "send rules", "application/wasm", games.MaxRules)
	if err != nil {
		return err
	}
	ctx, done, err := s.takeTime(r)
	if err != nil {
		return err
	}
	defer done()
	g, err := s.jobs.AddRules(ctx, rules)
	var d api.GameInfo
	if err == nil {
		d, err = describeGame(g)
	}
	if err != nil {
		return jobError(err)
	}
	h := w.Header()
	h["Location"], h["Cache-Control"] = []string{"/v1/" + g.Name + "/1"}, noStore
	writeBody(w, http.StatusCreated, jsonType, mustMarshal(d))
	return nil
}

func readBody(w http.ResponseWriter, r *http.Request, request, wanted string, most int64) ([]byte, error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != wanted {
		return nil, refusal(http.StatusUnsupportedMediaType, "%s as %s; say so in Content-Type", request, wanted)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case errors.As(err, &tooLarge):
		return nil, refusal(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", most)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refusal(http.StatusRequestTimeout, "the body stopped arriving")
	case err != nil:
		return nil, refusal(http.StatusBadRequest, "the body was cut short")
	}
	return body, nil
}

func (s handlers) readRequest(w http.ResponseWriter, r *http.Request) (of api.JobRequest, err error) {
	body, err := readBody(w, r, "send a job", arrayMedia, maxJobRequest)
	if err != nil {
		return of, err
	}
	if err := strict.Unmarshal(body, &of); err != nil {
		return of, refusal(http.StatusBadRequest, `the body is not a job such as {"game":"quixo","size":4,"has_steps":true}: %v`, err)
	}
	return of, nil
}

// checkMissing returns an error if a table has all that a job would find.
func (s handlers) checkMissing(of api.JobRequest) error {
	h, err := s.catalog.Find(of.Game, int(of.Size), api.Or(of.After, ""))
	if err != nil {
		return nil // a missing table, or a broken one
	}
	defer h.Release()
	if h.Answerer().HasSteps() || !api.Or(of.HasSteps, false) {
		return refusal(http.StatusConflict, "the table of %v exists; GET /v1/%s/%v describes it", h, of.Game, of.Size)
	}
	return nil
}

func (s handlers) get(w http.ResponseWriter, r *http.Request, id string) error {
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), eventMedia) {
		return s.events(w, r, id)
	}
	job, err := s.jobs.Get(id)
	if err != nil {
		return jobError(err)
	}
	return s.sendJSON(w, r, freshness{}, job)
}

func (s handlers) stop(w http.ResponseWriter, r *http.Request, id string) error {
	if err := s.maySolve(r); err != nil {
		return err
	}
	job, err := s.jobs.Stop(id)
	if err != nil {
		return jobError(err)
	}
	return s.sendJSON(w, r, freshness{}, job)
}

const (
	eventLook = time.Second      // between two looks at the server's state
	eventIdle = 15 * time.Second // until a comment shows that the connection is open
)

// events sends a job whenever it changes, until it has ended or the server stops.
func (s handlers) events(w http.ResponseWriter, r *http.Request, id string) error {
	changed := s.jobs.Changed()
	job, err := s.jobs.Get(id)
	if err != nil {
		return jobError(err)
	}
	release, err := s.long.acquire(r)
	if err != nil {
		return err
	}
	defer release()
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // it would end the request
	h := w.Header()
	h["Content-Type"], h["Cache-Control"], h["X-Content-Type-Options"] = []string{eventMedia}, noStore, nosniff
	extend := func() { control.SetWriteDeadline(time.Now().Add(s.limits.Write)) }
	defer extend() // for the end of the response
	send := func(text string) error {
		extend()
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		return control.Flush()
	}
	var last []byte
	for sent := time.Now(); ; {
		text := "" // to send
		switch now := mustMarshal(job); {
		case !bytes.Equal(now, last):
			text, last = "data: "+string(now)+"\n", now
		case time.Since(sent) > eventIdle:
			text = ":\n\n"
		}
		if text != "" {
			if err := send(text); err != nil {
				return nil // the client is gone
			}
			sent = time.Now()
		}
		if jobs.Ended(&job) || s.state.Load() != ready {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(eventLook):
		case <-r.Context().Done():
			return nil
		}
		changed = s.jobs.Changed()
		if job, err = s.jobs.Get(id); err != nil {
			return nil // it was forgotten
		}
	}
}
