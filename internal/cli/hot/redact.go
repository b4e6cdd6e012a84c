package hot

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/secret/pipe"
)

const redactHelp = `Run a command and print its output without secrets.

Examples:
  checkrein redact -- cat .env
  checkrein redact -c 'cat .env | sort'
  checkrein redact --of .env -c 'grep TOKEN .env | cut -d= -f2'
  kubectl logs web | checkrein redact

Usage: checkrein redact [flags] -- PROGRAM [ARGUMENT…]
       checkrein redact [flags] -c COMMAND
       checkrein redact [flags] < text

Flags:
  -c COMMAND           a command of the shell; without a command, stdin is
                       filtered
  --shell SHELL        the shell that runs it: sh (default), bash, zsh, dash or
                       ksh, by name or path
  --of FILE            hide the secrets of this file wherever they are printed,
                       also without the words around them; may be repeated

Each secret becomes [REDACTED]. Everything else is printed as it is,
stdout and stderr each in its order, and in one order where both go to the same
place. The exit code is the command's own. Some kilobytes are held back until
more text shows that no secret begins in them, or until the command ends.
Agents run this when not_replaced is rewrite: checkrein docs secrets
`

// redactFlags holds the flags of redact.
type redactFlags struct {
	command, shell string
	hasCommand     bool // there is a command to run, so stdin is not filtered
	argv           []string
	of             []string
}

// redactShells lists the shells that --shell accepts: they all run a command that follows -c.
var redactShells = []string{"sh", "bash", "zsh", "dash", "ksh"}

// parseRedact reads the command line of redact.
func parseRedact(env console.Env) (*redactFlags, error) {
	f := redactFlags{shell: "sh"}
	args := args{list: env.Args, words: &f.argv, command: true}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "c":
			f.command, f.hasCommand = args.value(), true
		case "shell":
			f.shell = args.value()
		case "of":
			f.of = append(f.of, env.Path(args.value()))
		default:
			args.failUnknown("c", "shell", "of", "help")
		}
	}
	if args.err == nil && !slices.Contains(redactShells, filepath.Base(f.shell)) {
		args.fail("--shell %q is not one of sh, bash, zsh, dash and ksh", f.shell)
	}
	if args.err == nil && f.hasCommand && len(f.argv) > 0 {
		args.fail("-c and %q are two commands: give one", f.argv[0])
	}
	f.hasCommand = f.hasCommand || len(f.argv) > 0
	return &f, args.err
}

// runRedact runs the redact command: it prints the output of a command, or stdin, without secrets.
func runRedact(_ context.Context, env console.Env) int {
	f, err := parseRedact(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, redactHelp)
		return console.Done
	}
	if err != nil {
		return printError(env, console.Usage, "redact: %v\nRun 'checkrein redact --help' for usage.", err)
	}
	var values []string
	for _, name := range f.of {
		more, err := pipe.ReadSecrets(name)
		if err != nil {
			return printError(env, console.Refused, "redact: nothing was run, because the secrets of a file cannot be read: %v", err)
		}
		values = append(values, more...)
	}
	if !f.hasCommand {
		printStdinHint(env, "text", "type it", "redact")
		if err := pipe.Copy(env.Stdout, env.Stdin, values); err != nil {
			return printError(env, console.Bug, "redact: the rest is not printed: %v", err)
		}
		return console.Done
	}
	return redactOutput(env, f, values)
}

// redactOutput runs the command of f with the environment of this process, redacts secrets and values
// in its output, and returns its exit code.
func redactOutput(env console.Env, f *redactFlags, values []string) int {
	in, ok := env.Stdin.(*os.File)
	out, ok2 := env.Stdout.(*os.File)
	errs, ok3 := env.Stderr.(*os.File)
	if !ok || !ok2 || !ok3 || env.Program == "" {
		return printError(env, console.Bug, "redact: nothing was run, because stdin, stdout and stderr are not all files, or the path of checkrein is unknown")
	}
	filter := []string{env.Program, "redact"}
	for _, name := range f.of {
		filter = append(filter, "--of", name)
	}
	c := pipe.Command{Argv: f.argv, Shell: f.shell, Text: f.command, Stdin: in, Stdout: out, Stderr: errs, Values: values, Filter: filter}
	code, err := c.Run()
	if err != nil {
		return printError(env, max(code, console.Finding), "redact: %v", err)
	}
	return code
}
