// Package client is a Go client of tbserve. Package api has the types of parameters and answers.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"backsolve/game"
	"backsolve/server/api"
)

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	// Address of the server, such as http://127.0.0.1:8080.
	Address string
	// Token is sent with every request, unless it is empty.
	Token string
	// HTTP sends the requests; nil means http.DefaultClient.
	HTTP *http.Client
}

// Error is an answer whose status is that of an error.
type Error struct {
	// Status of the response, such as 404.
	Status int
	// Problem is the problem document; it is empty if no tbserve answered.
	Problem api.Error
}

// Error returns the detail of the problem document, or else the status.
func (e *Error) Error() string {
	if e.Problem.Detail != "" {
		return e.Problem.Detail
	}
	return fmt.Sprintf("the server answers %d %s", e.Status, http.StatusText(e.Status))
}

// Games returns the games that the server knows.
func (c *Client) Games(ctx context.Context) (*api.GameList, error) {
	return get[api.GameList](ctx, c, "games", nil)
}

// Opponents returns the named opponents.
func (c *Client) Opponents(ctx context.Context) (*api.OpponentList, error) {
	return get[api.OpponentList](ctx, c, "opponents", nil)
}

// Tables returns all tables of the server.
func (c *Client) Tables(ctx context.Context) (*api.TableList, error) {
	return get[api.TableList](ctx, c, "tables", nil)
}

// Table returns the counts of a table.
func (c *Client) Table(ctx context.Context, game string, size game.Size, params api.GetTableParams) (*api.Table, error) {
	return get[api.Table](ctx, c, board(game, size, ""), params)
}

// Position returns the value of a position and of all its moves.
func (c *Client) Position(ctx context.Context, game string, size game.Size, params api.GetPositionParams) (*api.Answer, error) {
	return get[api.Answer](ctx, c, board(game, size, "position"), params)
}

// Positions returns the values of many positions in order. A position without an answer gets a
// BatchError.
func (c *Client) Positions(ctx context.Context, game string, size game.Size, positions []string, params api.PostPositionsParams) ([]api.BatchItem, error) {
	body, err := json.Marshal(positions)
	if err != nil {
		return nil, err
	}
	all, err := ask[[]api.BatchItem](ctx, c, http.MethodPost, board(game, size, "positions"), params, body)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// Line returns the value of a position with the main line.
func (c *Client) Line(ctx context.Context, game string, size game.Size, params api.GetLineParams) (*api.LineAnswer, error) {
	return get[api.LineAnswer](ctx, c, board(game, size, "line"), params)
}

// Move returns a move by the table.
func (c *Client) Move(ctx context.Context, game string, size game.Size, params api.GetMoveParams) (*api.Choice, error) {
	return get[api.Choice](ctx, c, board(game, size, "move"), params)
}

// Reply returns a move of a named opponent.
func (c *Client) Reply(ctx context.Context, game string, size game.Size, params api.GetReplyParams) (*api.Reply, error) {
	return get[api.Reply](ctx, c, board(game, size, "reply"), params)
}

// Moves returns all legal moves of a position, with known values.
func (c *Client) Moves(ctx context.Context, game string, size game.Size, params api.GetMovesParams) (*api.LegalMoves, error) {
	return get[api.LegalMoves](ctx, c, board(game, size, "moves"), params)
}

// Playouts returns a move by Monte Carlo tree search.
func (c *Client) Playouts(ctx context.Context, game string, size game.Size, params api.GetPlayoutsParams) (*api.Playouts, error) {
	return get[api.Playouts](ctx, c, board(game, size, "playouts"), params)
}

// Random returns a random position with given outcome and steps.
func (c *Client) Random(ctx context.Context, game string, size game.Size, params api.GetRandomParams) (*api.Answer, error) {
	return get[api.Answer](ctx, c, board(game, size, "random"), params)
}

// Plan returns what it takes to solve a board.
func (c *Client) Plan(ctx context.Context, params api.GetPlanParams) (*api.Plan, error) {
	return get[api.Plan](ctx, c, "plan", params)
}

// Jobs returns all jobs, the oldest first.
func (c *Client) Jobs(ctx context.Context) (*api.JobList, error) {
	return get[api.JobList](ctx, c, "jobs", nil)
}

// Job returns a job and its progress.
func (c *Client) Job(ctx context.Context, id string) (*api.Job, error) {
	return get[api.Job](ctx, c, "jobs/"+url.PathEscape(id), nil)
}

// Solve queues a job, or returns the one for the same board that has not ended.
func (c *Client) Solve(ctx context.Context, of api.JobRequest) (*api.Job, error) {
	body, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	return ask[api.Job](ctx, c, http.MethodPost, "jobs", nil, body)
}

// Stop stops a job, or forgets one that has ended.
func (c *Client) Stop(ctx context.Context, id string) (*api.Job, error) {
	return ask[api.Job](ctx, c, http.MethodDelete, "jobs/"+url.PathEscape(id), nil, nil)
}

// board returns the path of a resource of a board, below /v1/.
func board(game string, size game.Size, what string) string {
	return strings.TrimSuffix(url.PathEscape(game)+"/"+url.PathEscape(size.String())+"/"+what, "/")
}

func get[T any](ctx context.Context, c *Client, path string, params any) (*T, error) {
	return ask[T](ctx, c, http.MethodGet, path, params, nil)
}

// ask sends a request, and reads an answer of the type T or an *Error.
func ask[T any](ctx context.Context, c *Client, method, path string, params any, body []byte) (*T, error) {
	address := strings.TrimSuffix(c.Address, "/") + "/v1/" + path
	if query := encoded(params); query != "" {
		address += "?" + query
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := cmp.Or(c.HTTP, http.DefaultClient).Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, failure(resp)
	}
	answer := new(T)
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		return nil, fmt.Errorf("the answer of %s cannot be read: %w", c.Address, err)
	}
	_, err = io.Copy(io.Discard, resp.Body) // so that the connection is reused
	return answer, err
}

// failure returns the error of a response.
func failure(resp *http.Response) error {
	const most = 1 << 20
	e := &Error{Status: resp.StatusCode}
	if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&e.Problem); err != nil {
		e.Problem = api.Error{} // not a problem document
	}
	return e
}

// encoded returns the query of a struct of parameters, named by the tags of its fields.
func encoded(params any) string {
	query := url.Values{}
	if v := reflect.ValueOf(params); v.IsValid() {
		for i := range v.NumField() {
			name, optional, _ := strings.Cut(v.Type().Field(i).Tag.Get("form"), ",")
			field := v.Field(i)
			if optional != "" {
				if field.IsNil() {
					continue
				}
				field = field.Elem()
			}
			query.Set(name, fmt.Sprint(field.Interface()))
		}
	}
	return query.Encode()
}
