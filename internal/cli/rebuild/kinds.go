package rebuild

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

// An odd is something in the state directory that is not the kind of file that the table
// says: a link, which may lead anywhere, a pipe, on which a reader would wait, a
// directory in place of a file.
type odd struct {
	name  string // below the directory, with slashes
	store string // the store that it takes the place of, or lies in; "" = none alone
	is    fs.FileMode
	want  string
}

// folders are the directories that the table names, with the store that each is of; "" =
// not of one alone.
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

// odds looks at what kind of file everything in the state directory is, and opens
// nothing but directories. Only says that what is in no store does not matter.
func odds(dir state.Dir, only bool) []odd {
	if dir == (state.Dir{}) {
		return nil
	}
	var out []odd
	// What cannot be looked at is said by who wants to read it.
	_ = fs.WalkDir(os.DirFS(dir.Path()), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return nil
		}
		store, folder := folders[name]
		row, _ := Of(name)
		open := strings.HasSuffix(row.Pattern, "/**")
		o := odd{name: name, is: e.Type()}
		switch {
		case folder:
			o.store, o.want = store, "a directory"
		default:
			o.store, o.want = row.Store, "a file"
		}
		switch {
		case only && folder && !holdsStore(name):
			return skip(e)
		case folder && e.IsDir(), open && (e.IsDir() || e.Type().IsRegular()), !folder && e.Type().IsRegular():
			return nil
		case row.Pattern == "" && !folder && e.IsDir():
			return nil // it belongs to nobody, and nothing reads it
		}
		if !only || o.store != "" {
			out = append(out, o)
		}
		return skip(e)
	})
	return out
}

func skip(e fs.DirEntry) error {
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

// finding says what is odd, and what to do about it.
func (o *odd) finding(dir state.Dir) Finding {
	full := dir.Path(o.name)
	remedy := message.Run("rm "+full, "to remove it")
	if o.is.IsDir() || o.is.IsRegular() {
		remedy = message.Run("mv "+full+" "+full+".old", "to move it out of the way")
	}
	return Finding{o.store, message.New(fmt.Sprintf("%s is %s, not %s: it is not used", full, state.KindOf(o.is), o.want), remedy)}
}

// clear removes what is odd where nothing is lost: it takes the place of what can be made
// again, and holds nothing itself. A link goes, and not what it leads to.
func (o *odd) clear(dir state.Dir) error {
	if o.store == "" || o.is.IsDir() || o.is.IsRegular() {
		return nil
	}
	return dir.Remove(o.name)
}
