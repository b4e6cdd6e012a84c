package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/hot"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// playJudge, in the environment of the test binary, makes it the program at that path,
// called again and again: thousands of commands then take one process and not thousands.
const playJudge = "CHECKREIN_TEST_PLAY_JUDGE"

// A judged is one call of the program, and what it said.
type judged struct {
	Args           []string
	Stdin          []byte
	Exit           int
	Stdout, Stderr []byte
}

// asJudge answers calls until there are no more.
func asJudge(program string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Unsetenv(playJudge); err != nil {
		return err
	}
	environ := environ.WithHome(os.Environ())
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var call judged
		if err := in.Decode(&call); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var stdout, stderr bytes.Buffer
		call.Exit = hot.Run(context.Background(), console.Env{
			Args: slices.Clone(call.Args), Stdin: bytes.NewReader(call.Stdin), Stdout: &stdout, Stderr: &stderr, Now: time.Now,
			Dir: dir, Program: program, Environ: environ, Account: "/dev/null/account",
		})
		call.Stdin, call.Stdout, call.Stderr = nil, stdout.Bytes(), stderr.Bytes()
		if err := out.Encode(&call); err != nil {
			return err
		}
	}
}

// A judge is a process that does so.
type judge struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// judges are those of a place, of which each is started when it is first needed.
type judges chan *judge

func newJudges(t *testing.T) judges {
	t.Helper()
	const n = 4
	list := make(judges, n)
	for range n {
		list <- nil
	}
	t.Cleanup(func() {
		for range n {
			if j := <-list; j != nil {
				_ = j.in.Close()
				_ = j.cmd.Wait()
			}
		}
	})
	return list
}

// program runs the program. One call of a few has a process of its own, as hosts do it.
func (p verdictPlace) program(stdin []byte, args ...string) judged {
	call := judged{Args: args, Stdin: stdin}
	if p.judges == nil || crc32.ChecksumIEEE(append(stdin, args[len(args)-1]...))%16 == 0 {
		cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
		cmd.Dir, cmd.Env, cmd.Stdin = p.project, p.env(), bytes.NewReader(stdin)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		call.Stdout, call.Stderr = out.Bytes(), errs.Bytes()
		if call.Exit = cmd.ProcessState.ExitCode(); err != nil {
			call.Stderr = fmt.Appendf(call.Stderr, "%v", err)
		}
		return call
	}
	j := <-p.judges
	defer func() { p.judges <- j }()
	if j == nil {
		made, err := p.newJudge()
		if err != nil {
			return judged{Exit: -1, Stderr: []byte(err.Error())}
		}
		j = made
	}
	line, _ := json.Marshal(&call)
	_, err := j.in.Write(append(line, '\n'))
	if err == nil {
		err = j.out.Decode(&call)
	}
	if err != nil { // it has ended in the middle of a call
		_ = j.in.Close()
		_ = j.cmd.Wait()
		j = nil
		return judged{Exit: -1, Stderr: []byte(err.Error())}
	}
	return call
}

func (p verdictPlace) newJudge() (*judge, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	j := &judge{cmd: exec.Command(self)}
	j.cmd.Dir, j.cmd.Stderr = p.project, os.Stderr
	j.cmd.Env = append(p.env(), playJudge+"="+filepath.Join(programs, "checkrein"))
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	j.out = json.NewDecoder(out)
	return j, j.cmd.Start()
}
