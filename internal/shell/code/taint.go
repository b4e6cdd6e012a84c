package code

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// wordValue returns the value of w, an argument of the code or the value of the environment variable
// named variable. Its taint is that of the commands whose output w contains, as in A=$(cat .env)
// python3 -c '…'. Text that a command selects from a file of secrets counts as a single secret,
// because that is how users pass a token to code.
func (r *reader) wordValue(w *shell.Word, variable string) value {
	v := textValue(w.Text)
	if len(w.From) == 0 {
		return v
	}
	switch t := outputTaint(w.From, 0); {
	case t&fromSetting != 0 || t != 0 && facts.IsSecretName(variable):
		r.out.recordSecretOwner(variable)
		v.taint = fromSetting
	default:
		v.taint = t
	}
	r.out.seen |= v.taint
	return v
}

// maxPrinted is the maximum number of calls that are followed from a word, and the maximum depth.
const maxPrinted = 8

// outputTaint returns the taint of the output of the calls in from. Depth is the number of outputs
// that contain this one.
func outputTaint(from []*shell.Call, depth int) taint {
	var t taint
	picked := false
	for i, c := range from {
		if c == nil || i >= maxPrinted || depth >= maxPrinted {
			break
		}
		switch program.OutputOf(c.Name) {
		case program.OutputReduces, program.OutputLists:
			return t
		case program.OutputSelects, program.OutputPicks:
			picked = true
		}
		if program.ExpertOf(c.Name) == program.ExpertKeygen {
			return t
		}
		if program.HandsOf(c.Name) != 0 && len(c.Args) == 0 {
			t |= fromEnv
		}
		for j := range c.Args {
			t |= wordTaint(c, &c.Args[j], depth)
		}
		for j := range c.Redir {
			if op := c.Redir[j].Op; op == "<" || op == "<<<" || op == "<<" {
				t |= wordTaint(c, &c.Redir[j].Target, depth)
			}
		}
		if c.In != nil {
			t |= outputTaint(c.In.From, depth+1)
		}
	}
	if picked && t&fromSecret != 0 {
		return fromSetting
	}
	return t
}

// wordTaint returns the taint of w, a word of c: that of the file that it names, and of the command
// output that it contains.
func wordTaint(c *shell.Call, w *shell.Word, depth int) taint {
	t := outputTaint(w.From, depth+1)
	switch {
	case !facts.IsSecretFile(w.Text):
	case facts.IsTokenFile(w.Text):
		t |= fromSetting
	default:
		t |= fromSecret | fromFile
	}
	for i := range c.Files {
		if f := &c.Files[i]; f.Path == w.Text && w.Text != "" {
			t |= outputTaint(f.From, depth+1)
		}
	}
	return t
}
