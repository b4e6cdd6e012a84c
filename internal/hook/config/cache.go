package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"reflect"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Cache remembers how files were read, by the program's build and the files'
// bytes: reading YAML costs a short-lived program more than deciding. It holds
// hooks, never approvals. The zero Cache remembers nothing.
//
// What is in it decides what runs, so it counts only with the sum of the store's
// secret, under its own name: what was changed, cut, moved here from another name
// or made with another secret is as none.
type Cache struct {
	Dir   state.Dir
	Build string // anything that changes whenever the program does
	// Secret vouches for the files; nil, or one that returns nil, means no cache.
	Secret func() *state.Secret
	// Told is called for each source whose reading was not as it was written. An
	// [state.ErrPlace] means that there is no cache, for something lies in its place.
	Told func(source string, err error)
}

// CacheFolder is the cache's place in the state directory.
const CacheFolder = "cache"

const (
	cacheMagic = "checkrein cache 12\n" // then the sum of the rest
	cacheWord  = "checkrein cache "     // what files of any version begin with
	maxCache   = 8 << 20
	cacheKeep  = 200 // files; a file that is edited leaves its old readings behind
)

// name is the cache file for a source. Everything that reading depends on is
// in it.
func (c Cache) name(d *hookfile.Dialect, src hookfile.Source) string {
	h := sha256.New()
	for _, s := range [...]string{c.Build, d.Name, src.File, src.Agent} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	h.Write(appendValue(nil, reflect.ValueOf(src.Guess)))
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(src.Data)))
	h.Write(n[:])
	h.Write(src.Data)
	if src.Beside != nil {
		h.Write([]byte{2})
		h.Write(src.Beside)
	}
	return CacheFolder + "/" + hex.EncodeToString(h.Sum(nil)[:16])
}

// secret is nil where there is to be no cache.
func (c Cache) secret() *state.Secret {
	if c.Build == "" || c.Secret == nil {
		return nil
	}
	return c.Secret()
}

// A reading is what a file says, and what is wrong with it.
type reading struct {
	hookfile.File
	err error
}

func (c Cache) get(d *hookfile.Dialect, src hookfile.Source) (reading, bool) {
	if c.Build == "" || c.Secret == nil {
		return reading{}, false
	}
	name := c.name(d, src)
	data, err := c.Dir.Read(name, maxCache)
	if errors.Is(err, fs.ErrNotExist) {
		return reading{}, false
	}
	secret := c.secret()
	if secret == nil {
		return reading{}, false
	}
	var r reading
	if err == nil {
		r, err = decodeFile(secret, name, data)
	}
	if err == nil {
		return r, true
	}
	_ = c.Dir.Remove(name) // or it is written over
	if !errors.Is(err, errOld) && c.Told != nil {
		c.Told(src.File, err)
	}
	return reading{}, false
}

// put remembers a reading. A cache that cannot be written costs time only.
func (c Cache) put(d *hookfile.Dialect, src hookfile.Source, r *reading) {
	secret := c.secret()
	if secret == nil {
		return
	}
	name := c.name(d, src)
	if c.Dir.Write(name, encodeFile(secret, name, c.origin(d, src), r)) == nil {
		_ = c.Dir.Prune(CacheFolder, cacheKeep)
	}
}

// An origin describes what a reading was made of, so that it can be made again.
type origin struct {
	Build, Dialect, File, Agent string
	Guess                       bool
}

func (c Cache) origin(d *hookfile.Dialect, src hookfile.Source) origin {
	return origin{c.Build, d.Name, src.File, src.Agent, src.Guess}
}

func encodeFile(secret *state.Secret, name string, from origin, r *reading) []byte {
	b := append([]byte(cacheMagic), make([]byte, state.MACSize)...)
	b = appendReading(appendValue(b, reflect.ValueOf(from)), r)
	sum := secret.MAC(name, b[len(cacheMagic)+state.MACSize:])
	copy(b[len(cacheMagic):], sum[:])
	return b
}

var (
	errDamaged = errors.New("the cached file was changed")
	errOld     = errors.New("the cached file is from another version")
)

// decodeFile reads what encodeFile wrote.
func decodeFile(secret *state.Secret, name string, data []byte) (reading, error) {
	body, err := opened(secret, name, data)
	if err != nil {
		return reading{}, err
	}
	d := decoder{rest: body}
	d.origin()
	return d.reading()
}

// opened returns what the secret vouches for. A file of another version is no one's
// fault, and is not used either.
func opened(secret *state.Secret, name string, data []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(data, []byte(cacheMagic))
	switch {
	case !ok && bytes.HasPrefix(data, []byte(cacheWord)):
		return nil, errOld
	case !ok || len(body) < state.MACSize || !secret.Verify(name, body[state.MACSize:], body[:state.MACSize]):
		return nil, errDamaged
	}
	return body[state.MACSize:], nil
}
