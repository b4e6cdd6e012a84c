package command

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxImage is the maximum size of a sealed hook's program, which is held in memory.
const maxImage = 64 << 20

// A sealedProgram runs from memory: the file is read once, and the same bytes are compared with the
// approved digest and executed.
type sealedProgram struct {
	// want returns the approved digest in hex, or "" if the hook needs no approval.
	want func() (string, error)
}

// newSealed returns the sealed program of h, whose command is argv, or nil if h is not sealed.
func newSealed(opts Options, h *checkrein.Hook, argv []string) (*sealedProgram, error) {
	val, has := rawjson.Get(h.With, "sealed")
	if !has || string(val) == "false" {
		return nil, nil
	}
	digest, handed := rawjson.Text(val) // if another process handed the hook over, it passes the digest
	_, shell := rawjson.Get(h.With, "command")
	_, boxed := rawjson.Get(h.With, "sandbox")
	switch {
	case !handed && string(val) != "true":
		return nil, errors.New("sealed must be true or false")
	case process.CheckImage() != nil:
		return nil, fmt.Errorf("sealed: %w: remove sealed; checkrein then compares the file before and after each run", process.CheckImage())
	case shell || len(argv) == 0:
		return nil, errors.New("sealed needs a command that is a list, such as [./gate.sh], because with a shell line the shell decides which files it runs")
	case !strings.ContainsRune(argv[0], '/'):
		return nil, fmt.Errorf("sealed needs a file's path as the first word of the command: write ./%s, or remove sealed", argv[0])
	case boxed:
		return nil, errors.New("sealed and sandbox cannot be combined: keep one of them")
	case handed:
		return &sealedProgram{func() (string, error) { return digest, nil }}, nil
	case opts.Approved == nil:
		return &sealedProgram{func() (string, error) { return "", nil }}, nil
	}
	if opts.CheckSealable != nil {
		if err := opts.CheckSealable(h); err != nil {
			return nil, err
		}
	}
	return &sealedProgram{func() (string, error) { return opts.Approved(h) }}, nil
}

// readImage returns the program at path, which may be relative to dir. It returns an error if the
// program is not the approved one.
func (s *sealedProgram) readImage(dir, path string) ([]byte, error) {
	want, err := s.want()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	program, err := state.ReadRegular(path, maxImage)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(program); want != "" && hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("%s changed since it was approved", filepath.Base(path))
	}
	return program, nil
}
