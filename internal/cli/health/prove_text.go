package health

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// rowWidth is the width of the column that holds the names of rows.
const rowWidth = 17

// proofReport returns the screen for p: its rows, its notes, the table of its evidence if evidence is
// set, and the summary.
func proofReport(env *console.Env, p *prove.Proof, evidence bool) *report.Report {
	s := report.New(env)
	s.Text(0, 2, term.T(term.Title, p.Title+" "+p.Version),
		term.T(term.Faint, fmt.Sprintf("  %s, %s, proven %s in %.0f s", s.ShortPath(p.Program.Path), p.Mode, s.Ago(p.Began), p.Took)))
	count := map[capability.Result]int{}
	for _, o := range p.Outcomes {
		count[o.Result]++
		mark, said := term.Mark(term.Good), term.P(o.Said)
		switch o.Result {
		case capability.NotHonoured:
			mark, said = term.Mark(term.Bad), term.T(term.Bad, o.Said)
		case capability.Differs:
			mark = term.Mark(term.Warn)
		case capability.NotShown, capability.Cannot:
			mark, said = term.Mark(term.Plain), term.T(term.Faint, string(o.Result)+": "+o.Said)
		}
		s.Text(2, 4+rowWidth, mark, term.Span{Text: fmt.Sprintf(" %-*s", rowWidth, o.Row), Whole: true}, said)
	}
	for _, note := range p.Notes {
		s.AddFinding(term.Warn, "", message.New(note))
	}
	if evidence && len(p.Evidence) > 0 {
		addEvidence(s, p)
	}
	mark, m := proofSummary(p, count)
	s.AddMessage(mark, "", m)
	return s
}

// addEvidence adds a table of the evidence for p, and how to show a piece of it.
func addEvidence(s *report.Report, p *prove.Proof) {
	s.Blank()
	t := &term.Table{Columns: []term.Column{{Title: "evidence"}, {}, {Right: true}, {Give: 1, Least: 12}}}
	for _, e := range p.Evidence {
		t.AddRow([]term.Span{term.T(term.Name, e.Digest[:min(12, len(e.Digest))])}, []term.Span{term.P(e.Kind)},
			[]term.Span{term.P(term.FormatNumber(e.Bytes))}, []term.Span{term.T(term.Faint, fmt.Sprintf("run %d: %s", e.Run, e.About))})
	}
	s.Table(2, t)
	s.Text(2, 4, term.P("The SHA-256 of the program is "), term.T(term.Faint, p.Program.SHA256))
	s.Text(2, 4, term.P("To see one: "), term.Command("checkrein prove --show "+p.Evidence[0].Digest[:min(12, len(p.Evidence[0].Digest))]))
}

// proofSummary returns the result of p in a sentence, with remedies and the style of its mark. count
// has the number of rows by result.
func proofSummary(p *prove.Proof, count map[capability.Result]int) (term.Style, message.Message) {
	honoured := fmt.Sprintf("%d of %d rows are honoured", count[capability.Honoured], len(p.Outcomes))
	switch bad := count[capability.NotHonoured]; {
	case !p.HasResults():
		return term.Bad, message.New(p.Title+" did not get far enough to be judged, so nothing is proven", message.Run("checkrein prove "+p.Host+" --keep DIR", "to keep its temporary home, and see what happened"))
	case bad > 0:
		return term.Bad, message.New(fmt.Sprintf("%d of %d rows are not honoured by this build", bad, len(p.Outcomes)), message.Do("do not rely on them: use another build, or guard these calls another way"), message.Run("checkrein git install", "to guard commits and pushes"))
	case !p.IsComplete():
		return term.Warn, message.New(honoured+unprovenText(count)+". The agent did not finish", message.Do("run this again when the machine is less busy; earlier results for this build still count"))
	case count[capability.Differs] > 0:
		return term.Warn, message.New(fmt.Sprintf("%s, %d in a different way than expected of this agent", honoured, count[capability.Differs]))
	}
	return term.Good, message.New(honoured+unprovenText(count), message.Run("checkrein prove --show "+p.Host, "to see the evidence"))
}

// unprovenText returns how many rows the agent cannot honour, and how many could not be shown, as the
// end of a sentence, or "" if there are none.
func unprovenText(count map[capability.Result]int) string {
	text := ""
	if n := count[capability.Cannot]; n > 0 {
		text += fmt.Sprintf(", %d not supported by this agent", n)
	}
	if n := count[capability.NotShown]; n > 0 {
		text += fmt.Sprintf(", %d could not be shown", n)
	}
	return text
}

// ownKey is the value of --key if the flag has no argument: print this machine's key.
const ownKey = "this machine's"

// certificateFlags holds the flags of prove that print a key or verify a certificate.
type certificateFlags struct{ verify, key string }

// register adds the flags to cmd.
func (c *certificateFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.verify, "verify", "", "check the certificate in this `FILE` (- is standard input) with the public key --key")
	cmd.Flags().StringVar(&c.key, "key", "", "alone: print this machine's public key; with --verify: the key, 64 hex digits or a PEM `FILE`")
	cmd.Flags().Lookup("key").NoOptDefVal = ownKey
}

// runIfSet prints this machine's key or verifies a certificate if the flags ask for that, and reports
// whether they do.
func (c *certificateFlags) runIfSet(env *console.Env, args []string) (bool, error) {
	key := c.key
	if key == ownKey && len(args) == 1 && c.verify != "" { // the value of --key follows a space
		key, args = args[0], nil
	}
	switch {
	case c.verify == "" && key == "":
		return false, nil
	case len(args) > 0 || c.verify == "" && key != ownKey:
		return true, errors.New("--key without --verify takes no value: alone it prints this machine's public key. To check a proof in a file, run checkrein prove --verify FILE --key PUB")
	case c.verify == "":
		return true, printMachineKey(env)
	case key == "" || key == ownKey:
		return true, errors.New("--verify also needs --key PUB, the public key of the machine that signed; to print it, run checkrein prove --key there")
	}
	return true, verifyCertificate(env, c.verify, key)
}

// printMachineKey prints the public key of this machine.
func printMachineKey(env *console.Env) error {
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	key, err := prove.OpenKey(dir)
	if err != nil {
		return base.AsRefusal(err)
	}
	public := key.Public()
	_, err = fmt.Fprintln(env.Stdout, hex.EncodeToString(public[:]))
	return err
}

// readCertificate reads the certificate in file; "-" is standard input. It ignores white space at the
// end, which copying may have added.
func readCertificate(env *console.Env, file string) ([]byte, error) {
	var data []byte
	var err error
	if file == "-" {
		data, err = io.ReadAll(io.LimitReader(base.Stdin(env), prove.MaxCertificate+1))
	} else {
		data, err = state.ReadRegular(env.Path(file), prove.MaxCertificate)
	}
	return append(bytes.TrimRight(data, " \t\r\n"), '\n'), err
}

// verifyCertificate verifies the certificate in file with the public key and prints what it proves, or
// returns why it is not valid.
func verifyCertificate(env *console.Env, file, key string) error {
	public, err := records.ReadPublicKey(env, key)
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	data, err := readCertificate(env, file)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	text, err := prove.VerifyCertificate(data, public)
	var p prove.Proof
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("%s: %w", file, err)}
	}
	shown := proofReport(env, &p, false)
	shown.Line(term.P(fmt.Sprintf("valid: signed with the key %x…", public[:8])))
	return base.OrFinding(shown.Show(), len(p.FailedOutcomes()) > 0 || !p.IsComplete(), "the proof failed or is incomplete")
}
