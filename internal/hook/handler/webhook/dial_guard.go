package webhook

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// dialTimeout limits how long a connection attempt may take if there is another address to try.
const dialTimeout = 2 * time.Second

// A dialGuard makes connections to permitted addresses only. It resolves a name once and dials the
// addresses that it checked, so that later answers of a name server have no effect. It checks each
// address again when the socket is about to connect.
type dialGuard struct {
	resolver   Resolver
	allowLocal bool
	connect    func(ctx context.Context, network, addr string) (net.Conn, error)
}

func newGuard(r Resolver, allowLocal bool) *dialGuard {
	if r == nil {
		r = net.DefaultResolver
	}
	g := &dialGuard{resolver: r, allowLocal: allowLocal}
	g.connect = (&net.Dialer{ControlContext: g.checkSocket}).DialContext
	return g
}

// dial connects to the first address of the host that accepts a connection.
func (g *dialGuard) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var first error
	for i, addr := range addrs {
		conn, err := g.dialAddr(ctx, network, net.JoinHostPort(addr.String(), port), i == len(addrs)-1)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

func (g *dialGuard) dialAddr(ctx context.Context, network, addr string, last bool) (net.Conn, error) {
	if !last {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, dialTimeout)
		defer cancel()
	}
	return g.connect(ctx, network, addr)
}

// resolve returns the addresses of host. If one of them is restricted, it returns an error, because a
// name that leads to the local network cannot be trusted.
func (g *dialGuard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, checkAddr(addr, g.allowLocal)
	}
	found, err := g.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("the host %s has no address", host)
	}
	addrs := make([]netip.Addr, len(found))
	for i, addr := range found {
		if err := checkAddr(addr, g.allowLocal); err != nil {
			return nil, fmt.Errorf("the host %s: %w", host, err)
		}
		addrs[i] = addr.Unmap()
	}
	return addrs, nil
}

// checkSocket returns an error if a socket is about to connect to the restricted address addr.
func (g *dialGuard) checkSocket(_ context.Context, _, addr string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return fmt.Errorf("not a valid address: %w", err)
	}
	return checkAddr(to.Addr(), g.allowLocal)
}
