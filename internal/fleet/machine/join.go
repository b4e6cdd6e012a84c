package machine

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// JoinOptions configure [Join].
type JoinOptions struct {
	Dir      string // of the enrollment
	URL      string
	Token    Token
	CA       string // a file with certificates that the system does not know, or ""
	Proxy    string // the address of a proxy; "" means that of the environment, if there is one
	Name     string // of the machine; "" means its host name
	Advisory bool
}

// ErrEnrolled means that the machine belongs to a fleet already.
var ErrEnrolled = errors.New("this machine belongs to a fleet already")

// Join makes the machine a member of a fleet. If the hub's answer is lost, Join can be repeated.
func Join(ctx context.Context, o JoinOptions) (*Enrollment, error) {
	if e, err := Load(o.Dir); err == nil {
		return e, fmt.Errorf("%w: %s at %s", ErrEnrolled, e.Fleet, e.URL)
	} else if !errors.Is(err, ErrNotEnrolled) {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	key, err := createKey(o.Dir)
	if err != nil {
		return nil, err
	}
	e := &Enrollment{
		URL: o.URL, Hub: o.Token.Hub, Name: o.Name, Joined: time.Now().UTC().Truncate(time.Second), Root: o.Token.Root,
		Advisory: o.Advisory, dir: o.Dir, key: key,
	}
	if err := e.reach(&o); err != nil {
		return nil, err
	}
	if e.Name == "" {
		if e.Name, err = os.Hostname(); err != nil {
			return nil, fmt.Errorf("finding the machine's name: %w: name it with --name", err)
		}
	}
	c, err := e.client()
	if err != nil {
		return nil, err
	}
	var joined protocol.Joined
	err = c.call(ctx, http.MethodPost, protocol.PathJoin, protocol.Join{Token: o.Token.Secret, Key: key.Public().(ed25519.PublicKey), Facts: e.facts()}, &joined)
	if err != nil {
		return nil, fmt.Errorf("joining the fleet: %w", err)
	}
	e.Fleet, e.Machine = joined.Name, joined.Machine
	if err := e.pin(ctx, c); err != nil {
		return nil, err
	}
	return e, e.save()
}

// reach keeps how the hub is reached, since a service of the system has neither the environment of the person
// who joined nor their files.
func (e *Enrollment) reach(o *JoinOptions) error {
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		if err != nil {
			return fmt.Errorf("reading the certificates: %w", err)
		}
		e.CA = filepath.Join(e.dir, caFile)
		if err := state.ReplaceFile(e.CA, pem, 0o644); err != nil {
			return err
		}
	}
	if e.proxy = o.Proxy; e.proxy == "" {
		req, err := http.NewRequest(http.MethodGet, e.URL, nil)
		if err != nil {
			return err
		}
		via, err := http.ProxyFromEnvironment(req)
		if err != nil {
			return fmt.Errorf("reading the proxy of the environment: %w", err)
		}
		if via != nil {
			e.proxy = via.String()
		}
	}
	return nil
}

// Leave ends the membership at the hub, and removes the enrollment. If the hub cannot be
// reached, it returns an error, unless force is set.
func (e *Enrollment) Leave(ctx context.Context, force bool) error {
	c, err := e.client()
	if err == nil {
		err = c.call(ctx, http.MethodPost, protocol.PathLeave, nil, nil)
	}
	if err != nil && !force {
		return fmt.Errorf("informing the hub: %w", err)
	}
	return e.remove()
}

// client returns a client of the hub.
func (e *Enrollment) client() (*client, error) { return newClient(e.URL, e.Hub, e.CA, e.proxy, e.key) }

// facts returns what the machine says about itself.
func (e *Enrollment) facts() protocol.Facts {
	return protocol.Facts{Name: e.Name, OS: runtime.GOOS, Arch: runtime.GOARCH, Build: build.Version, Advisory: e.Advisory}
}
