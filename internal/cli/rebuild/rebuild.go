// Package rebuild checks the stores of the state directory that are derived from other files to save
// time. Programs accept nothing in them without a digest keyed by the state's key; this package
// derives them again and compares.
//
// One table lists the stores, and another everything else in the state directory: a file that is in
// neither does not belong there.
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A Place is a ledger, and the state directory around it.
type Place struct {
	Ledger string    // the ledger's directory
	State  state.Dir // what it lies in; the zero Dir means that there is only a ledger, such as a copy
	// Builds are those of the programs whose readings of files can be derived again.
	Builds []string
	// Most is how many bytes of the ledger are read again, newest first; 0 = all.
	Most     int64
	Progress func(done, total int64)
}

// A Store is a row of the table.
type Store struct {
	Name  string
	From  string // what it is derived from
	check func(ctx context.Context, p *Place, repair bool) ([]string, error)
}

// Stores returns the table. Callers must not change it.
func Stores() []Store { return stores }

// stores is the table of stores.
var stores = []Store{
	{"cache", "configuration files", checkCache},
	{"index", "the ledger's records", checkIndex},
}

// A Finding is something in a store that was changed, or that would be derived differently now; or a
// file of the state directory that has the wrong type.
type Finding struct {
	Store string // "" = of no store
	// Without remedies it is not used, and made anew.
	message.Message
}

// String returns the finding with its store.
func (f Finding) String() string {
	if f.Store != "" {
		return "the store " + f.Store + ": " + f.Message.String()
	}
	return f.Message.String()
}

// Check checks all stores and changes nothing. If it returns an error, the findings are those up to
// it.
func (p *Place) Check(ctx context.Context) ([]Finding, error) { return p.check(ctx, false) }

// Repair is Check, and removes what is wrong: it is derived again when needed.
func (p *Place) Repair(ctx context.Context) ([]Finding, error) { return p.check(ctx, true) }

// check checks all stores, and repairs them if repair is set.
func (p *Place) check(ctx context.Context, repair bool) ([]Finding, error) {
	var out []Finding
	var errs []error
	bad := map[string]bool{} // stores that cannot be opened
	for _, o := range findMisfits(p.State, repair) {
		out = append(out, o.finding(p.State))
		bad[o.store] = true
		if repair {
			errs = append(errs, o.clear(p.State))
		}
	}
	if err := p.State.CheckDir(ledger.Folder); errors.Is(err, state.ErrNotDir) {
		return out, errors.Join(errs...) // no key can authenticate anything
	}
	for i := range stores {
		if bad[stores[i].Name] {
			continue
		}
		found, err := stores[i].check(ctx, p, repair)
		for _, what := range found {
			out = append(out, Finding{stores[i].Name, message.New(what)})
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the store %s: %w", stores[i].Name, err))
		}
	}
	return out, errors.Join(errs...)
}

// OpenKey returns why the ledger's key is not secret, so that nothing is cached. It returns nil if the
// key is secret or does not exist.
func (p *Place) OpenKey() error {
	err := state.NewDir(p.Ledger).CheckOwnerOnly(ledger.KeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// checkCache checks the cache of configuration files.
func checkCache(_ context.Context, p *Place, repair bool) ([]string, error) {
	c := config.Cache{Dir: p.State, Secret: func() *state.Secret { return p.secret(ledger.LabelCache) }}
	return c.CheckFiles(dialect.Detect, p.Builds, repair)
}

// checkIndex checks the index of the ledger.
func checkIndex(ctx context.Context, p *Place, repair bool) ([]string, error) {
	if repair {
		index.RemoveOld(p.Ledger)
	}
	found, err := index.Check(ctx, p.Ledger, index.CheckOptions{Most: p.Most, Progress: p.Progress})
	if len(found) > 0 && repair {
		err = errors.Join(err, index.Remove(p.Ledger))
	}
	return found, err
}

// secret returns the secret of a store, or nil if the key is missing or not secret.
func (p *Place) secret(label string) *state.Secret {
	if p.State == (state.Dir{}) {
		return nil
	}
	secret, err := ledger.ReadSecret(p.Ledger, label)
	if err != nil {
		return nil
	}
	return secret
}

// A misfit is something in the state directory that is not of the type in the table: a symlink, which
// may lead anywhere, a pipe, on which a reader would wait, a directory in place of a file.
type misfit struct {
	name  string // below the directory, with slashes
	store string // the store that it replaces, or lies in; "" = none
	is    fs.FileMode
	want  string
}

// folders are the directories in the table, with the store of each; "" = not of a single one.
var folders = func() map[string]string {
	out := map[string]string{}
	for _, f := range files {
		dir, all := strings.CutSuffix(f.Pattern, "/**")
		if !all {
			dir = path.Dir(f.Pattern)
		}
		if dir == "." {
			continue
		}
		if store, known := out[dir]; known && store != f.Store {
			out[dir] = ""
		} else {
			out[dir] = f.Store
		}
	}
	return out
}()

// findMisfits checks the type of everything in the state directory, and opens nothing but directories.
// With only, it ignores what belongs to no store.
func findMisfits(dir state.Dir, only bool) []misfit {
	if dir == (state.Dir{}) {
		return nil
	}
	var out []misfit
	// Errors are reported by those who read the files.
	_ = fs.WalkDir(os.DirFS(dir.Path()), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return nil
		}
		store, folder := folders[name]
		row, _ := FileOf(name)
		open := strings.HasSuffix(row.Pattern, "/**")
		o := misfit{name: name, is: e.Type()}
		switch {
		case folder:
			o.store, o.want = store, "a directory"
		default:
			o.store, o.want = row.Store, "a file"
		}
		switch {
		case only && folder && !holdsStore(name):
			return skipDir(e)
		case folder && e.IsDir(), open && (e.IsDir() || e.Type().IsRegular()), !folder && e.Type().IsRegular():
			return nil
		case row.Pattern == "" && !folder && e.IsDir():
			return nil // nothing reads it
		}
		if !only || o.store != "" {
			out = append(out, o)
		}
		return skipDir(e)
	})
	return out
}

// skipDir returns fs.SkipDir for a directory.
func skipDir(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// holdsStore reports whether files of a store lie in a folder, or below it.
func holdsStore(folder string) bool {
	for _, f := range files {
		if f.Store != "" && strings.HasPrefix(path.Dir(f.Pattern)+"/", folder+"/") {
			return true
		}
	}
	return false
}

// finding returns what is wrong, and what to do about it.
func (o *misfit) finding(dir state.Dir) Finding {
	full := dir.Path(o.name)
	remedy := message.Run("rm "+full, "to remove it")
	if o.is.IsDir() || o.is.IsRegular() {
		remedy = message.Run("mv "+full+" "+full+".old", "to move it out of the way")
	}
	return Finding{o.store, message.New(fmt.Sprintf("%s is %s, not %s: it is not used", full, state.DescribeKind(o.is), o.want), remedy)}
}

// clear removes a misfit if nothing is lost: it replaces something that can be derived again, and
// holds nothing itself. It removes a symlink, not its target.
func (o *misfit) clear(dir state.Dir) error {
	if o.store == "" || o.is.IsDir() || o.is.IsRegular() {
		return nil
	}
	return dir.Remove(o.name)
}
