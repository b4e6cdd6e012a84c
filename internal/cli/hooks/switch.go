package hooks

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
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/checkrein/checkrein/kit"
)

// An offFile switches the hooks of a file beside it off, by that system's own master
// switch.
type offFile struct {
	Path  string // that has the switch
	of    string // whose hooks it switches off
	Hooks int
}

// SwitchedOff lists the files that keep hooks off.
func SwitchedOff(k *kit.Kit) []offFile {
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
			out = append(out, offFile{Path: filepath.Join(filepath.Dir(h.From.File), d.Beside), of: h.From.File})
		}
		out[i].Hooks++
	}
	return out
}

// line says what a file keeps off, and how to change that.
func (o *offFile) message(root string) message.Message {
	return message.New(fmt.Sprintf("%s in %s switched off by shell_hooks.enabled in %s", base.Amount(o.Hooks, "hook"), visible.Line(base.RelativePath(root, o.of)), visible.Line(base.RelativePath(root, o.Path))),
		message.Run("checkrein hooks on", ""))
}

// EnableSwitchedOff switches on what starchild's own master switch keeps off, shows the change,
// and says what stays off.
func EnableSwitchedOff(env *console.Env, k *kit.Kit) error {
	var errs []error
	for _, o := range SwitchedOff(k) {
		file := visible.Line(base.RelativePath(k.Root(), o.Path))
		line, err := o.flip()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s in %s still off: %w. Set shell_hooks.enabled to true in %s yourself",
				base.Amount(o.Hooks, "hook"), visible.Line(base.RelativePath(k.Root(), o.of)), err, file))
			continue
		}
		fmt.Fprintf(env.Stdout, "%s:%d: shell_hooks.enabled: false → true, for %s in %s\n", file, line, base.Amount(o.Hooks, "hook"), visible.Line(base.RelativePath(k.Root(), o.of)))
	}
	return errors.Join(errs...)
}

func (o *offFile) flip() (line int, err error) {
	info, err := os.Lstat(o.Path)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("the file is not a regular file (it may be a symbolic link)")
	}
	data, err := state.ReadRegular(o.Path, yamldoc.MaxSize)
	if err != nil {
		return 0, err
	}
	on, line, err := starchild.SwitchOn(data)
	if err != nil {
		return 0, err
	}
	return line, state.Replace(o.Path, on, info.Mode().Perm())
}

// OffMessage is what the master switch does, and how to undo it.
var OffMessage = message.New("all hooks are off, except managed ones and self-protection", message.Run("checkrein hooks on", ""))
