package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

// A lan is the second address of a server, for phones. It serves the pages of approvals and nothing
// else, and only with TLS: without it, others on the network could change what a phone shows and signs.
type lan struct{ addr, cert, key, url string }

// register adds the flags to cmd.
func (l *lan) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&l.addr, "lan", "", "also let phones answer approvals at this `HOST:PORT`; needs TLS")
	flags.StringVar(&l.cert, "tls-cert", "", "with --lan: the `FILE` with the certificate chain, in PEM")
	flags.StringVar(&l.key, "tls-key", "", "with --lan: the `FILE` with its private key, in PEM")
	flags.StringVar(&l.url, "url", "", "with --lan: the `URL` that phones open, for links in messages")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
}

// listen listens on the address, or returns nil if there is none.
func (l *lan) listen(env *console.Env) (net.Listener, error) {
	switch {
	case l.addr == "" && l.cert == "" && l.url == "":
		return nil, nil
	case l.addr == "":
		return nil, errors.New("--tls-cert, --tls-key and --url are for --lan")
	case l.cert == "":
		return nil, errors.New("--lan needs --tls-cert and --tls-key: without TLS, others on the network could change what your phone shows and signs")
	}
	if l.url != "" {
		var err error
		if l.url, err = parsePhoneURL(l.url); err != nil {
			return nil, err
		}
	}
	if _, port, err := net.SplitHostPort(l.addr); err != nil || port == "" {
		return nil, fmt.Errorf("--lan %s: use HOST:PORT, such as 0.0.0.0:8443", l.addr)
	}
	pair, err := tls.LoadX509KeyPair(env.Path(l.cert), env.Path(l.key))
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", l.addr)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(&fewConns{Listener: ln, open: map[string]int{}}, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// serveLAN serves pages on ln until ctx is done.
func serveLAN(ctx context.Context, ln net.Listener, pages http.Handler) {
	s := &http.Server{Handler: http.MaxBytesHandler(pages, 64<<10), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10, ErrorLog: log.New(io.Discard, "", 0)}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	_ = s.Serve(ln) // ends with ctx
}

// How many connections phones may have at a time, and each of them.
const (
	maxLANConns   = 32
	maxPhoneConns = 8
)

// A fewConns closes connections above these limits, so that no client takes all.
type fewConns struct {
	net.Listener

	mu   sync.Mutex
	all  int
	open map[string]int // by the address of the client
}

func (l *fewConns) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, _, _ := net.SplitHostPort(c.RemoteAddr().String())
		l.mu.Lock()
		isFree := l.all < maxLANConns && l.open[from] < maxPhoneConns
		if isFree {
			l.all++
			l.open[from]++
		}
		l.mu.Unlock()
		if isFree {
			return &slotConn{Conn: c, free: func() { l.release(from) }}, nil
		}
		c.Close()
	}
}

// release frees the slot of a connection of the client at address from.
func (l *fewConns) release(from string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.open[from]--; l.open[from] == 0 {
		delete(l.open, from)
	}
}

// A slotConn frees its slot when it is closed.
type slotConn struct {
	net.Conn
	free func()
	once sync.Once
}

func (c *slotConn) Close() error {
	c.once.Do(c.free)
	return c.Conn.Close()
}
