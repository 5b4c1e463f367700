package server

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/probe"
	"backsolve/server/api"
	asking "backsolve/server/client"
)

// BenchmarkGoClient is what programs see that ask through the client, on
// 16 connections over loopback: positions answered by the server, and as many bytes
// answered by a plain handler that has nothing to do for them.
func BenchmarkGoClient(b *testing.B) {
	texts := benchPositions(b, 20_000)
	b.Run("position", func(b *testing.B) {
		s := benchServer(b)
		ctx, stop := context.WithCancel(context.Background())
		stopped := make(chan error)
		l := loopback(b)
		go func() { stopped <- s.Serve(ctx, []net.Listener{l}, nil, time.Second) }()
		load(b, l.Addr().String(), texts)
		stop()
		<-stopped
	})
	b.Run("constant", func(b *testing.B) {
		body := append([]byte("{}"), bytes.Repeat([]byte(" "), meanAnswer(b, texts[:1000]))...)
		web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(body)
		})}
		l := loopback(b)
		go web.Serve(l)
		load(b, l.Addr().String(), texts)
		web.Close()
	})
}

func loopback(b *testing.B) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// load asks for positions from 16 goroutines, each on a connection of its own.
func load(b *testing.B, address string, texts []string) {
	const connections = 16
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: connections}
	c := &asking.Client{Address: "http://" + address, HTTP: &http.Client{Transport: transport}}
	var next atomic.Int64
	b.SetParallelism(connections / 2) // for each of two cores
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			text := texts[int(next.Add(1))%len(texts)]
			if _, err := c.Position(context.Background(), "quixo", 4, api.GetPositionParams{P: text}); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	transport.CloseIdleConnections()
}

// meanAnswer returns the mean length of the answers.
func meanAnswer(b *testing.B, texts []string) int {
	s, total := benchServer(b), 0
	h, err := positionRoutes{s}.find("quixo", 4, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer h.Release()
	for _, text := range texts {
		body, _, err := probe.AppendAsk(h.Answerer(), nil, text)
		if err != nil {
			b.Fatal(err)
		}
		total += len(body) + 1
	}
	return total / len(texts)
}
