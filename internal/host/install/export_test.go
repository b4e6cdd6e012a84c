package install

import (
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/tailscale/hujson"
)

// Unexported names of the package that its tests use.
const (
	Companion  = companion
	ModuleMark = moduleMark
	PlaceMark  = placeMark
)

var (
	Exe       = executableName
	Join      = quoteWords
	Mentions  = callsCheckrein
	ParseJSON = parseJSON
)

func (d *jsonDoc) Root() *hujson.Value { return &d.root }

func (m *Machine) HostNamed(name string) (*wire.Host, bool) { return m.findHost(name) }

func (m *Machine) SpecNamed(name string) (*Spec, *wire.Host, error) { return m.findSpec(name) }

func (m *Machine) Wanted(s *Spec, h *wire.Host, scope Scope, more []string) ([]Entry, error) {
	return m.wantedEntries(s, h, scope, more)
}

func (m *Machine) FilesOf(s *Spec, h *wire.Host, scope Scope, want []Entry) ([]File, error) {
	return m.scopeFiles(s, h, scope, want)
}
