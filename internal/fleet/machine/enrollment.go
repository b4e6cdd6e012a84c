package machine

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Files of an enrollment.
const (
	enrollmentFile = "machine.json"
	keyFile        = "machine.key"
	statusFile     = "status.json"
	proxyFile      = "proxy"  // the address of the proxy to the hub, which may have a password in it
	caFile         = "ca.pem" // a copy, which only the owner of the enrollment can change
)

// ErrNotEnrolled means that the machine belongs to no fleet.
var ErrNotEnrolled = errors.New("this machine belongs to no fleet")

// Dir returns the directory of the enrollment that root owns.
func Dir() string { return filepath.Join(config.ManagedDir(), "fleet") }

// An Enrollment says to which fleet a machine belongs.
type Enrollment struct {
	URL      string    `json:"url"`
	Hub      string    `json:"hub"`             // the hub's id
	Fleet    string    `json:"fleet,omitempty"` // its name, for people
	Machine  string    `json:"machine"`         // this machine's id
	Name     string    `json:"name"`            // this machine's name, for people
	Joined   time.Time `json:"joined"`
	Root     string    `json:"root"`         // SHA-256 of the first root metadata
	CA       string    `json:"ca,omitempty"` // a file with certificates that the system does not know
	Advisory bool      `json:"advisory,omitempty"`

	dir   string
	key   ed25519.PrivateKey
	proxy string // "" means those of the environment
}

// Load returns the enrollment in dir. If there is none, the error is [ErrNotEnrolled].
func Load(dir string) (*Enrollment, error) {
	e, err := Read(dir)
	if err != nil {
		return nil, err
	}
	proxy, err := state.ReadRegular(filepath.Join(dir, proxyFile), 4<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the address of the proxy: %w", err)
	}
	e.proxy = strings.TrimSpace(string(proxy))
	e.key, err = bundle.LoadKey(filepath.Join(dir, keyFile))
	return e, err
}

// Read is Load without the machine's key and its proxy, which accounts cannot read.
func Read(dir string) (*Enrollment, error) {
	data, err := state.ReadRegular(filepath.Join(dir, enrollmentFile), 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotEnrolled
	}
	e := &Enrollment{dir: dir}
	if err == nil {
		err = json.Unmarshal(data, e)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the enrollment in %s: %w", dir, err)
	}
	return e, nil
}

// save writes the enrollment. The file is complete or not there.
func (e *Enrollment) save() error {
	if e.proxy != "" {
		if err := state.ReplaceFile(filepath.Join(e.dir, proxyFile), []byte(e.proxy+"\n"), 0o600); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return state.ReplaceFile(filepath.Join(e.dir, enrollmentFile), append(data, '\n'), 0o644)
}

// remove deletes the enrollment and the machine's key. Bundles stay until they are removed by name.
func (e *Enrollment) remove() error {
	var errs []error
	for _, name := range []string{enrollmentFile, keyFile, statusFile, proxyFile, caFile} {
		errs = append(errs, removeFile(e.dir, name))
	}
	return errors.Join(errs...)
}

func removeFile(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// createKey creates the machine's key in dir. A key of an earlier attempt to join is used again, so
// that an attempt whose answer was lost can be repeated.
func createKey(dir string) (ed25519.PrivateKey, error) {
	path := filepath.Join(dir, keyFile)
	if key, err := bundle.LoadKey(path); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	return bundle.NewKey(path)
}

// Dir returns the directory of the enrollment.
func (e *Enrollment) Dir() string { return e.dir }
