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

// maxImage bounds the program of a sealed hook: it is held in memory.
const maxImage = 64 << 20

// A sealed is a hook whose program runs from the bytes that were approved: they are
// read once, and what was compared is what runs.
type sealed struct {
	// want is the digest that they must have, in hex; "" = the hook needs no
	// approval.
	want func() (string, error)
}

// sealedOf reads whether a hook is sealed, nil if it is not.
func sealedOf(opts Options, h *checkrein.Hook, argv []string) (*sealed, error) {
	val, has := rawjson.Get(h.With, "sealed")
	if !has || string(val) == "false" {
		return nil, nil
	}
	digest, handed := rawjson.Text(val) // as another process hands it over
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
		return &sealed{func() (string, error) { return digest, nil }}, nil
	case opts.Approved == nil:
		return &sealed{func() (string, error) { return "", nil }}, nil
	}
	if opts.Sealable != nil {
		if err := opts.Sealable(h); err != nil {
			return nil, err
		}
	}
	return &sealed{func() (string, error) { return opts.Approved(h) }}, nil
}

// image is the program, if it is the one that was approved.
func (s *sealed) image(dir, path string) ([]byte, error) {
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
