package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/dialect/hookmd"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/spf13/cobra"
)

// convertFlags holds the flags of the convert command.
type convertFlags struct {
	to, out, agent string
	force          bool
}

// ConvertCommand returns the convert command.
func ConvertCommand(env *console.Env) *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use: "convert --to DIALECT FILE…", Short: "Convert hooks to another format and list what is lost",
		Long: `Convert hooks to another system's format: ` + strings.Join(dialectNames(), ", ") + `.
The result goes to stdout, or into a directory with --out. What the other format
cannot express is listed on stderr, hook by hook, with the nearest alternative.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runConvert(env, &f, args) },
	}
	cmd.Flags().StringVar(&f.to, "to", "", "the `DIALECT` to write")
	cmd.Flags().StringVar(&f.out, "out", "", "write files into this `DIR`")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the `NAME` of the agent to convert, if a file declares several")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite existing files")
	return cmd
}

// dialectNames returns the names of all dialects.
func dialectNames() []string {
	var out []string
	for _, d := range dialect.Table() {
		out = append(out, d.Name)
	}
	return out
}

// runConvert converts the hooks in files to the dialect of --to, and prints what is lost.
func runConvert(env *console.Env, f *convertFlags, files []string) error {
	to, ok := dialect.Lookup(f.to)
	if f.to == "" || !ok {
		hint := suggest.Hint(f.to, dialectNames())
		return fmt.Errorf("--to: unknown dialect %q%s: use one of %s", f.to, hint, strings.Join(dialectNames(), ", "))
	}
	read, losses, err := readHooks(env, f, files)
	if err != nil {
		return err
	}
	hooks := read.Hooks
	if to.Name != hookmd.Dialect.Name {
		if hooks, err = withPrograms(hooks); err != nil {
			return &base.Exit{Code: console.Config, Err: err}
		}
	}
	docs, more := to.Write(hooks)
	losses = append(append(losses, more...), variableLosses(to, hooks)...)
	if grants := read.Settings.Grants; to.Name == native.Dialect.Name {
		docs[0].Data = append(docs[0].Data, native.WriteGrants(grants)...)
	} else {
		for i := range grants {
			losses = append(losses, hookfile.Loss{Hook: filepath.Base(grants[i].From.File), What: "grants", Why: "the target format has no grants, so this call stays blocked: " + base.OneLine(grants[i].Call+grants[i].Tool), Instead: "keep it in your own checkrein.yaml"})
		}
	}
	if f.out == "" && len(docs) > 0 && (len(docs) > 1 || strings.Contains(docs[0].Name, "/")) {
		return fmt.Errorf("each %s hook is a folder: name the directory to write to with --out", to.Name)
	}
	for _, l := range losses {
		fmt.Fprintln(env.Stderr, lossLine(l))
	}
	switch {
	case f.out != "":
		return writeDocuments(env, f, docs)
	case len(docs) == 0:
		return nil
	}
	_, err = env.Stdout.Write(docs[0].Data)
	return err
}

// withPrograms returns hooks in which those of HOOK.md folders name the program that the folder
// contains, since other dialects cannot find it. It changes the hooks in place.
func withPrograms(hooks []checkrein.Hook) ([]checkrein.Hook, error) {
	var errs []error
	for i := range hooks {
		h := &hooks[i]
		val, ok := rawjson.Get(h.With, "hook_folder")
		if !ok {
			continue
		}
		folder, _ := rawjson.Text(val)
		argv, err := hookmd.Script(folder)
		if err != nil {
			errs = append(errs, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: err})
			continue
		}
		list, _ := json.Marshal(argv)
		h.With, err = rawjson.Patch(h.With, append(append([]byte(`{"hook_folder":null,"argv":`), list...), '}'))
		errs = append(errs, err)
	}
	return hooks, errors.Join(errs...)
}

// lossLine returns a line about a loss, with the alternative if there is one.
func lossLine(l hookfile.Loss) string {
	line := fmt.Sprintf("lost: hook %q: %s: %s", l.Hook, l.What, l.Why)
	if l.Instead != "" {
		line += " (instead: " + l.Instead + ")"
	}
	return line
}

// variableLosses returns losses for hooks whose commands use an environment variable that only their
// original system sets.
func variableLosses(to *hookfile.Dialect, hooks []checkrein.Hook) []hookfile.Loss {
	var out []hookfile.Loss
	for i := range hooks {
		h := &hooks[i]
		from, ok := dialect.Lookup(h.Dialect)
		if !ok || from.RootVar == "" || from == to || to.Name == "native" || !strings.Contains(string(h.With), from.RootVar) {
			continue
		}
		out = append(out, hookfile.Loss{Hook: h.Label(), What: "command", Why: "uses $" + from.RootVar + ", which the target system does not set", Instead: "write the full path"})
	}
	return out
}

// readHooks reads the hooks and grants in files, and returns everything else in them as losses. A
// directory stands for the hook folders in it. Broken hooks are included, so that the writer of the
// dialect names them.
func readHooks(env *console.Env, f *convertFlags, files []string) (hookfile.File, []hookfile.Loss, error) {
	var all hookfile.File
	var losses []hookfile.Loss
	var errs []error
	for _, name := range files {
		for _, path := range config.HookFiles(env.Path(name)) {
			file, err := ReadHookFile(path, f.agent)
			all.Hooks = append(all.Hooks, file.Hooks...)
			all.Settings.Grants = append(all.Settings.Grants, file.Settings.Grants...)
			losses = append(losses, settingLosses(path, &file)...)
			for _, w := range file.Warnings {
				fmt.Fprintln(env.Stderr, "warning:", visible.EscapeLine(w.Error()))
			}
			if file.Lost != nil || len(file.Hooks) == 0 {
				errs = append(errs, err)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return hookfile.File{}, nil, &base.Exit{Code: console.Config, Err: err}
	}
	return all, losses, nil
}

// settingLosses returns losses for what a file contains in addition to hooks and grants.
func settingLosses(path string, file *hookfile.File) []hookfile.Loss {
	var out []hookfile.Loss
	lose := func(what, why, instead string) {
		out = append(out, hookfile.Loss{Hook: filepath.Base(path), What: what, Why: why, Instead: instead})
	}
	for _, inc := range file.Includes {
		lose("include", inc.File+" is included, but it was not converted", "convert that file too")
	}
	s := file.Settings
	if s.Off {
		lose("switch", "the file switches its hooks off, but the converted hooks are on", "checkrein hooks off")
	}
	s.Grants = nil // runConvert converts them
	if s.Off = false; !reflect.ValueOf(s).IsZero() {
		lose("settings", "the file's settings are not converted", "copy them")
	}
	return out
}

// ReadHookFile parses the file at path in its dialect, together with the file beside it if the dialect
// has one.
func ReadHookFile(path, agent string) (hookfile.File, error) {
	data, err := config.ReadContent(dialect.Detect, path, yamldoc.MaxSize)
	if err != nil {
		return hookfile.File{}, err
	}
	src := hookfile.Source{File: path, Data: data, Agent: agent}
	d, ok := dialect.Detect(src)
	if !ok {
		return hookfile.File{}, config.UnknownDialectError(path)
	}
	if d.Beside != "" {
		src.Beside, _ = state.ReadRegular(filepath.Join(filepath.Dir(path), d.Beside), yamldoc.MaxSize) // the file is optional
	}
	return d.Parse(src)
}

// writeDocuments writes docs to the directory of --out. Without --force, it writes none of them if one
// exists.
func writeDocuments(env *console.Env, f *convertFlags, docs []hookfile.Document) error {
	dir := env.Path(f.out)
	for _, d := range docs {
		if path := filepath.Join(dir, filepath.FromSlash(d.Name)); base.FileExists(path) && !f.force {
			return &base.Exit{Code: console.Refused, Err: fmt.Errorf("%s already exists. To overwrite it, use --force", path)}
		}
	}
	for _, d := range docs {
		path := filepath.Join(dir, filepath.FromSlash(d.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return &base.Exit{Code: console.Refused, Err: err}
		}
		mode := os.FileMode(0o644)
		if strings.Contains(d.Name, "/scripts/") {
			mode = 0o755
		}
		if err := state.ReplaceFile(path, d.Data, mode); err != nil {
			return &base.Exit{Code: console.Refused, Err: err}
		}
		fmt.Fprintln(env.Stdout, path)
	}
	return nil
}
