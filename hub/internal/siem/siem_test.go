package siem_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/siem"
)

// follow passes the records of h on to the target until the test ends.
func follow(t *testing.T, h *hubtest.Hub, target string) {
	t.Helper()
	to, err := siem.ParseTarget(target, []string{"X-Key=secret"})
	hubtest.Must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		siem.Follow(ctx, h.Server.Records, to, func(string) string { return "one" }, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() { stop(); <-done })
}

// wait waits until done returns true.
func wait(t *testing.T, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it did not happen")
}

func TestHTTPReceiverThatFailsGetsAllRecordsOnce(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	var mu sync.Mutex
	got := map[string]int{}
	var tries atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 || r.Header.Get("X-Key") != "secret" {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		for line := range strings.Lines(string(body)) {
			got[line]++
		}
	}))
	t.Cleanup(receiver.Close)
	m.Record(200)
	hubtest.Must(t, m.Upload())
	follow(t, h, "ocsf+"+receiver.URL)
	m.Record(100)
	hubtest.Must(t, m.Upload())
	wait(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(got) >= len(m.Lines()) })
	mu.Lock()
	defer mu.Unlock()
	for line, n := range got {
		if n != 1 || !strings.Contains(line, `"hostname":"one"`) {
			t.Fatalf("%d times: %s", n, line)
		}
	}
}

func TestSyslog(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	hubtest.Must(t, err)
	t.Cleanup(func() { ln.Close() })
	messages := make(chan string, 1000)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		for {
			size, err := r.ReadString(' ')
			if err != nil {
				return
			}
			n, _ := strconv.Atoi(strings.TrimSuffix(size, " "))
			msg := make([]byte, n)
			if _, err := io.ReadFull(r, msg); err != nil {
				return
			}
			messages <- string(msg)
		}
	}()
	m.Record(20)
	hubtest.Must(t, m.Upload())
	follow(t, h, "cef+tcp://"+ln.Addr().String())
	for range m.Lines() {
		select {
		case msg := <-messages:
			if !strings.HasPrefix(msg, "<109>1 ") || !strings.Contains(msg, " one checkrein - - - CEF:0|checkrein|") {
				t.Fatalf("the message is %q", msg)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("messages are missing")
		}
	}
}

func TestParseTarget(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "https://x", "otlp+tls://x:1", "cef+https://x", "ocsf+ftp://x", "otlp+https://"} {
		if _, err := siem.ParseTarget(bad, nil); err == nil {
			t.Errorf("%q is a target", bad)
		}
	}
}
