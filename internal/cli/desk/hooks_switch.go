package desk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/dialect/starchild"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/checkrein/checkrein/kit"
)

// An offFile switches the hooks of a file beside it off, by that system's own master
// switch.
type offFile struct {
	path  string // that has the switch
	of    string // whose hooks it switches off
	hooks int
}

// switchedOff lists the files that keep hooks off.
func switchedOff(k *kit.Kit) []offFile {
	var out []offFile
	for _, h := range k.Hooks() {
		if h.Off == "" || k.Disabled(&h) {
			continue
		}
		d, ok := dialect.Named(h.Dialect)
		if !ok || d.Beside == "" {
			continue
		}
		i := slices.IndexFunc(out, func(o offFile) bool { return o.of == h.From.File })
		if i < 0 {
			i = len(out)
			out = append(out, offFile{path: filepath.Join(filepath.Dir(h.From.File), d.Beside), of: h.From.File})
		}
		out[i].hooks++
	}
	return out
}

// line says what a file keeps off, and how to change that.
func (o *offFile) line(root string) string {
	return fmt.Sprintf("%s in %s switched off by shell_hooks.enabled in %s (checkrein hooks on)",
		base.Amount(o.hooks, "hook"), visible.Line(base.RelativePath(root, o.of)), visible.Line(base.RelativePath(root, o.path)))
}

// flipOn switches on what starchild's own master switch keeps off, shows the change,
// and says what stays off.
func flipOn(env *console.Env, k *kit.Kit) error {
	var errs []error
	for _, o := range switchedOff(k) {
		file := visible.Line(base.RelativePath(k.Root(), o.path))
		line, err := o.flip()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s in %s still off: %w. Set shell_hooks.enabled to true in %s yourself",
				base.Amount(o.hooks, "hook"), visible.Line(base.RelativePath(k.Root(), o.of)), err, file))
			continue
		}
		fmt.Fprintf(env.Stdout, "%s:%d: shell_hooks.enabled: false → true, for %s in %s\n", file, line, base.Amount(o.hooks, "hook"), visible.Line(base.RelativePath(k.Root(), o.of)))
	}
	return errors.Join(errs...)
}

func (o *offFile) flip() (line int, err error) {
	info, err := os.Lstat(o.path)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("the file is not a regular file (it may be a symbolic link)")
	}
	data, err := state.ReadRegular(o.path, yamldoc.MaxSize)
	if err != nil {
		return 0, err
	}
	on, line, err := starchild.SwitchOn(data)
	if err != nil {
		return 0, err
	}
	return line, state.Replace(o.path, on, info.Mode().Perm())
}
