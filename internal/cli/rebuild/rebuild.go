// Package rebuild checks the stores of the state directory, which are derived from other files to save
// time. Programs accept nothing in a store without a digest that is keyed with the ledger's key. This
// package derives the stores again and compares.
//
// One table lists the stores, and another lists all other files in the state directory. A file that is
// in neither table does not belong there.
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
	State  state.Dir // the directory that contains the ledger; the zero Dir means that there is only a ledger, such as a copy
	// Builds are the builds of the programs whose cached files can be derived again.
	Builds []string
	// Most is how many bytes of the ledger are read again, newest first; 0 = all.
	Most     int64
	Progress func(done, total int64)
}

// A Store is a row of the table of stores.
type Store struct {
	Name  string
	From  string // what it is derived from
	check func(ctx context.Context, p *Place, repair bool) ([]string, error)
}

// Stores returns the table of stores. Callers must not change it.
func Stores() []Store { return stores }

// stores is the table of stores.
var stores = []Store{
	{"cache", "configuration files", checkCache},
	{"index", "the ledger's records", checkIndex},
}

// A Finding is something in a store that was changed or would be derived differently now, or a file in
// the state directory that has the wrong type.
type Finding struct {
	Store string // "" = the finding is not about a store
	// Message has no remedies if the user need not do anything, because the store is rebuilt.
	message.Message
}

// String returns the finding with the name of its store, if any.
func (f Finding) String() string {
	if f.Store != "" {
		return "the store " + f.Store + ": " + f.Message.String()
	}
	return f.Message.String()
}

// Check checks all stores and changes nothing. With an error, it returns what it found before.
func (p *Place) Check(ctx context.Context) ([]Finding, error) { return p.check(ctx, false) }

// Repair is Check, but also removes what is wrong. It is derived again when needed.
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
			errs = append(errs, o.removeIfDerived(p.State))
		}
	}
	if err := p.State.CheckDir(ledger.Folder); errors.Is(err, state.ErrNotDir) {
		return out, errors.Join(errs...) // without the ledger's key, nothing can be authenticated
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

// CheckKey returns an error if other users can read the ledger's key, in which case nothing is cached.
// It returns nil if there is no key.
func (p *Place) CheckKey() error {
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

// secret returns the secret with this label that authenticates a store, or nil if the key is missing
// or other users can read it.
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

// A misfit is something in the state directory that does not have the type that the table requires: a
// symlink, which may lead anywhere, a pipe, which would block a reader, or a directory in place of a
// file.
type misfit struct {
	name  string      // the path below the state directory, with slashes
	store string      // the store that it replaces or lies in; "" = none
	is    fs.FileMode // its type
	want  string      // the required type, in words
}

// folders has the directories in the table of files, with the store of each. The store is "" if a
// directory has files of several stores or of none.
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

// findMisfits checks the type of everything in the state directory. It opens nothing but directories.
// If onlyStores is set, it ignores what does not belong to a store.
func findMisfits(dir state.Dir, onlyStores bool) []misfit {
	if dir == (state.Dir{}) {
		return nil
	}
	var out []misfit
	// Errors are ignored, since whatever reads the files reports them.
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
		case onlyStores && folder && !holdsStore(name):
			return skipDir(e)
		case folder && e.IsDir(), open && (e.IsDir() || e.Type().IsRegular()), !folder && e.Type().IsRegular():
			return nil
		case row.Pattern == "" && !folder && e.IsDir():
			return nil // nothing reads this directory
		}
		if !onlyStores || o.store != "" {
			out = append(out, o)
		}
		return skipDir(e)
	})
	return out
}

// skipDir returns fs.SkipDir if e is a directory, and nil otherwise.
func skipDir(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// holdsStore reports whether folder, or a directory below it, has files of a store.
func holdsStore(folder string) bool {
	for _, f := range files {
		if f.Store != "" && strings.HasPrefix(path.Dir(f.Pattern)+"/", folder+"/") {
			return true
		}
	}
	return false
}

// finding returns the finding about the misfit, with the command that removes it.
func (o *misfit) finding(dir state.Dir) Finding {
	full := dir.Path(o.name)
	remedy := message.Run("rm "+full, "to remove it")
	if o.is.IsDir() || o.is.IsRegular() {
		remedy = message.Run("mv "+full+" "+full+".old", "to move it out of the way")
	}
	return Finding{o.store, message.New(fmt.Sprintf("%s is %s, not %s: it is not used", full, state.DescribeKind(o.is), o.want), remedy)}
}

// removeIfDerived removes the misfit if nothing is lost, because it is in the place of something that
// can be derived again and has no content of its own. It removes a symlink, not its target.
func (o *misfit) removeIfDerived(dir state.Dir) error {
	if o.store == "" || o.is.IsDir() || o.is.IsRegular() {
		return nil
	}
	return dir.Remove(o.name)
}
