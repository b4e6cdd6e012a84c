package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// keygenEffects returns the effects of ssh-keygen when it creates a key. It prompts before it
// overwrites a key, so the effect depends on the answer on standard input and on the path of the key.
// It reports false for other uses.
func keygenEffects(c *shell.Call) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Unknown, Kind: "create", Category: shell.SecretChange, Rule: "keygen", Reason: "creates a key; asks before overwriting one"}
	file, makes := "", len(c.Args) == 0
	for i := range c.Args {
		t := c.Args[i].Text
		if len(t) > 2 && (t[:2] == "-q" || t[:2] == "-v") {
			t = "-" + strings.TrimLeft(t[1:], "qv") // as in -qt ed25519
		}
		switch {
		case t == "-h" || t == "-?" || t == "--help":
			e.Label, e.Kind, e.Category, e.Reason = shell.Safe, "read", shell.Help, "shows help"
			return singleEffect(c, e)
		case t == "-t" || strings.HasPrefix(t, "-t") && len(t) > 2 || t == "-b":
			makes = true
		case t == "-f" && i+1 < len(c.Args):
			file = c.Args[i+1].Text
		case len(t) > 2 && strings.HasPrefix(t, "-f"):
			file = t[2:]
		case len(t) == 2 && t[0] == '-' && strings.IndexByte("RlpyseikYAHMDKcFLBrI", t[1]) >= 0:
			return nil, false
		}
	}
	switch {
	case !makes:
		return nil, false
	case answersYes(c) && !strings.HasPrefix(file, "/tmp/") && !isCreatedByCommand(c, file):
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Destructive, "overwrite", shell.SecretDelete, shell.ImpactHigh, "overwrites a key without asking"
	case file != "" && (isLocalPath(file) || strings.HasPrefix(file, "/tmp/")):
		e.Label, e.Reason = shell.Safe, "creates a key"
	}
	return singleEffect(c, e)
}

// answersYes reports whether the standard input of c answers a prompt with yes.
func answersYes(c *shell.Call) bool {
	yes := false
	eachInput(c, func(text string) {
		word := strings.ToLower(strings.TrimSpace(text))
		if first, _, ok := strings.Cut(word, "\n"); ok {
			word = first
		}
		yes = yes || word == "y" || word == "yes"
	})
	if !yes && c.In != nil {
		for _, f := range c.In.From {
			yes = yes || f.Name == "yes"
		}
	}
	return yes
}
