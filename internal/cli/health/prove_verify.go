package health

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// ownKey is --key without a value: this machine's.
const ownKey = "this machine's"

// proveCheck is what the command line of prove asks for about certificates.
type proveCheck struct{ verify, key string }

func (c *proveCheck) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.verify, "verify", "", "check the certificate in this `FILE` (- is standard input) with the public key --key")
	cmd.Flags().StringVar(&c.key, "key", "", "alone: print this machine's public key; with --verify: the key, 64 hex digits or a PEM `FILE`")
	cmd.Flags().Lookup("key").NoOptDefVal = ownKey
}

// run does it, and reports whether it was asked to.
func (c *proveCheck) run(env *console.Env, args []string) (bool, error) {
	key := c.key
	if key == ownKey && len(args) == 1 && c.verify != "" { // a value behind a space
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
		return true, errors.New("--verify needs the public key of the machine that signed, which checkrein prove --key prints there: --key PUB")
	}
	return true, verifyCertificate(env, c.verify, key)
}

func printMachineKey(env *console.Env) error {
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	key, err := prove.OpenKey(dir)
	if err != nil {
		return base.Refused(err)
	}
	public := key.Public()
	_, err = fmt.Fprintln(env.Stdout, hex.EncodeToString(public[:]))
	return err
}

// readCertificate reads the file, "-" = standard input. Blank lines at its end come from
// copying, and say nothing.
func readCertificate(env *console.Env, file string) ([]byte, error) {
	var data []byte
	var err error
	if file == "-" {
		data, err = io.ReadAll(io.LimitReader(env.Stdin, prove.MaxCertificate+1))
	} else {
		data, err = state.ReadRegular(env.Path(file), prove.MaxCertificate)
	}
	return append(bytes.TrimRight(data, " \t\r\n"), '\n'), err
}

// verifyCertificate says what a certificate proves, or that it does not.
func verifyCertificate(env *console.Env, file, key string) error {
	public, err := audit.ReadPublicKey(env, key)
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
	return base.Found(shown.Show(), len(p.Failed()) > 0 || !p.Finished(), "not as it should be")
}
