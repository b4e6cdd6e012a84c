package bundle

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// NewKey creates a key in the new file path, which only its owner can read.
func NewKey(path string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writeSynced(path, pem.EncodeToMemory(&pem.Block{Type: pemKey, Bytes: der}), 0o600)
}

const (
	pemKey     = "PRIVATE KEY"
	maxKeyFile = 4 << 10
)

// LoadKey reads a key that NewKey created. A file that others can read is refused, because they may have
// the key already.
func LoadKey(path string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if others := info.Mode().Perm() & 0o077; others != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s: others can read this key (mode %o): replace the key if they may have read it, or else run chmod 600 %s", path, info.Mode().Perm(), path)
	}
	data, err := state.ReadRegular(path, maxKeyFile)
	if err != nil {
		return nil, err
	}
	block, rest := pem.Decode(data)
	if block == nil || block.Type != pemKey || len(rest) > 0 {
		return nil, &fs.PathError{Op: "read key", Path: path, Err: fmt.Errorf("it is not one PEM block %q", pemKey)}
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, &fs.PathError{Op: "read key", Path: path, Err: err}
	}
	own, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, &fs.PathError{Op: "read key", Path: path, Err: fmt.Errorf("it is a %T, not an Ed25519 key", key)}
	}
	return own, nil
}
