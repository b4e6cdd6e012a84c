package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkSsh walks the command that ssh runs on another host, where a shell reads its joined words. It
// always returns true, since nothing is left to resolve.
func (w wrappers) walkSsh(c *command) bool {
	w.addWrapperCall(c)
	w.walkNestedRules(c)
	f := argv.FlagReader{Args: c.words[1:], Options: &argv.Options{Short: "bcDEeFIiJLlmOopQRSWwBPM", Skip: 1}, LateFlags: true}
	rest := f.Operands()
	if f.Skipped == "" {
		return true
	}
	inner := w.remoteCommand(c, f.Skipped)
	if len(rest) == 0 {
		if c.in != nil {
			flow := c.in
			inner.in = nil
			w.walkInShell(shell.Word{Text: flowText(flow), From: flow.From}, nil, &inner)
		}
		return true
	}
	w.walkInShell(expand.Join(rest, " "), nil, &inner)
	return true
}

// remoteCommand returns a copy of c that runs on host; "?" stands for an unknown host.
func (w *walker) remoteCommand(c *command, host string) command {
	inner := *c
	inner.redir, inner.hops, inner.savedVars = nil, c.hops+1, nil
	inner.remote, inner.dir, inner.altDirs, inner.skipFunctions = host, "", nil, true
	if inner.remote == "" {
		inner.remote = "?"
	}
	return inner
}

const (
	dockerGlobals  = "--config --context --host --log-level --tlscacert --tlscert --tlskey --connection --url --identity --root --runroot --namespace --address --file --project-name --profile --env-file --project-directory --ansi --parallel --progress"
	dockerBooleans = "--rm --init --privileged --read-only --detach --interactive --tty --publish-all --no-healthcheck --oom-kill-disable --sig-proxy --disable-content-trust --quiet --no-deps --no-TTY --no-tty --service-ports --use-aliases --build --remove-orphans --quiet-pull --help --replace --systemd --tls-verify --no-hosts --http-proxy --rmi --latest --env-host --quiet-build"
)

// walkContainer walks the command that docker exec or docker run starts. It always returns true, since
// nothing is left to resolve.
func (w wrappers) walkContainer(c *command, name string) bool {
	args := c.words[1:]
	compose := strings.HasSuffix(name, "-compose")
	sub := ""
	for {
		globals := argv.Options{Sub: "exec run container compose", Short: "HlcfpDv", Long: dockerGlobals}
		if !compose {
			globals.Short = "Hlc"
		}
		i := argv.SubcommandIndex(args, &globals)
		if i < 0 {
			w.emitCall(c)
			return true
		}
		sub = args[i].Text
		args = args[i+1:]
		compose = compose || sub == "compose"
		if sub == "exec" || sub == "run" {
			break
		}
	}
	w.addWrapperCall(c)
	entry, rest := containerCommand(args)
	if len(rest) == 0 {
		return true
	}
	inner := w.remoteCommand(c, rest[0].Text)
	words := rest[1:]
	if entry.Text != "" {
		words = append([]shell.Word{entry}, words...)
	}
	inner.words = words
	if len(words) == 0 {
		return true
	}
	w.resolveCommand(inner)
	return true
}

// walkPod walks the command that kubectl exec starts. It always returns true, since nothing is left to
// resolve.
func (w wrappers) walkPod(c *command) bool {
	const globals = "--namespace --context --kubeconfig --cluster --user --server --token --as --as-group --container --filename --request-timeout --image --pod-running-timeout --certificate-authority --overrides --restart --labels --env --target --profile --requests --limits --serviceaccount"
	args := c.words[1:]
	if len(args) > 0 && (args[0].Text == "kubectl" || args[0].Text == "adm") {
		args = args[1:]
		if len(args) > 0 && args[0].Text == "--" {
			args = args[1:]
		}
	}
	subs := argv.Options{Sub: "exec rsh run debug", Short: "nscfl", Long: globals}
	i := argv.SubcommandIndex(args, &subs)
	if i < 0 {
		w.emitCall(c)
		return true
	}
	w.addWrapperCall(c)
	sub := args[i].Text
	args = args[i+1:]
	f := argv.FlagReader{Args: args, Options: &argv.Options{Short: "ncfsl", Long: globals, Skip: 1}, LateFlags: true}
	rest := f.Operands()
	name := f.Skipped
	for j, a := range args {
		if a.Text == "--" {
			rest = args[j+1:]
			break
		}
		if j == len(args)-1 && (sub == "run" || sub == "debug") {
			return true // without -- the words are not a command
		}
	}
	for len(rest) > 1 && (rest[0].Text == "-c" || rest[0].Text == "-n" || rest[0].Text == "--container" || rest[0].Text == "--namespace") {
		rest = rest[2:]
	}
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return true
	}
	inner := w.remoteCommand(c, name)
	inner.words = rest
	w.resolveCommand(inner)
	return true
}

// containerCommand parses args, the arguments of docker run or docker exec. entry is the value of
// --entrypoint, and rest are the words from the container or image on.
func containerCommand(args []shell.Word) (entry shell.Word, rest []shell.Word) {
	for len(args) > 0 {
		a := args[0].Text
		name, n := "", 1
		val := args[0]
		switch {
		case a == "--":
			return entry, args[1:]
		case strings.HasPrefix(a, "--"):
			var given bool
			name, val.Text, given = strings.Cut(a, "=")
			if !given && !facts.InList(dockerBooleans, a) {
				n = 2
			}
		case len(a) > 1 && a[0] == '-':
			// The rest of the word is the value of the first letter that takes one.
			if i := strings.IndexAny(a[1:], "evpuwlhmca"); i >= 0 {
				name, val.Text = "-"+a[i+1:i+2], strings.TrimPrefix(a[i+2:], "=")
				if val.Text == "" {
					n = 2
				}
			}
		default:
			return entry, args
		}
		if n == 2 {
			if len(args) < 2 {
				return entry, nil
			}
			val = args[1]
		}
		if name == "--entrypoint" {
			entry = val
		}
		args = args[n:]
	}
	return entry, nil
}
