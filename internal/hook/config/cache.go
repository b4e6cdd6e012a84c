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

// A Cache holds the results of parsing files, by the program's build and the files' bytes: parsing
// YAML costs a short-lived program more than deciding. It holds hooks, never approvals. The zero Cache
// is always empty.
//
// Its content decides what runs, so a file in it counts only with an authentication code of the
// store's secret for its own name: a file that was changed, truncated, moved from another name or made
// with another secret counts as missing.
type Cache struct {
	Dir   state.Dir
	Build string // changes whenever the program does
	// Secret returns the secret that authenticates the files; if it is nil or returns nil, there is no
	// cache.
	Secret func() *state.Secret
	// OnDamaged is called for each source whose cached result was changed. An [state.ErrNotDir] means
	// that there is no cache, because something else is in its place.
	OnDamaged func(source string, err error)
}

// CacheFolder is the cache's directory in the state directory.
const CacheFolder = "cache"

const (
	cacheMagic = "checkrein cache 12\n" // followed by the MAC of the rest
	cacheWord  = "checkrein cache "     // begins files of any version
	maxCache   = 8 << 20
	cacheKeep  = 200 // files; the results for earlier versions of edited files stay until then
)

// fileName returns the name of the cache file for a source: a digest of everything that the result of
// parsing depends on.
func (c Cache) fileName(d *hookfile.Dialect, src hookfile.Source) string {
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

// secret returns the secret; nil if there is no cache.
func (c Cache) secret() *state.Secret {
	if c.Build == "" || c.Secret == nil {
		return nil
	}
	return c.Secret()
}

// A parseResult is a parsed file, and what is wrong with it.
type parseResult struct {
	hookfile.File
	err error
}

// get returns the cached result for a source.
func (c Cache) get(d *hookfile.Dialect, src hookfile.Source) (parseResult, bool) {
	if c.Build == "" || c.Secret == nil {
		return parseResult{}, false
	}
	name := c.fileName(d, src)
	data, err := c.Dir.Read(name, maxCache)
	if errors.Is(err, fs.ErrNotExist) {
		return parseResult{}, false
	}
	secret := c.secret()
	if secret == nil {
		return parseResult{}, false
	}
	var r parseResult
	if err == nil {
		r, err = decodeFile(secret, name, data)
	}
	if err == nil {
		return r, true
	}
	_ = c.Dir.Remove(name) // if that fails, put replaces it
	if !errors.Is(err, errOld) && c.OnDamaged != nil {
		c.OnDamaged(src.File, err)
	}
	return parseResult{}, false
}

// put adds a result. Errors are ignored: without a cache parsing only takes longer.
func (c Cache) put(d *hookfile.Dialect, src hookfile.Source, r *parseResult) {
	secret := c.secret()
	if secret == nil {
		return
	}
	name := c.fileName(d, src)
	if c.Dir.Write(name, encodeFile(secret, name, c.origin(d, src), r)) == nil {
		_ = c.Dir.Prune(CacheFolder, cacheKeep)
	}
}

// An origin describes the source of a result, so that it can be parsed again.
type origin struct {
	Build, Dialect, File, Agent string
	Guess                       bool
}

func (c Cache) origin(d *hookfile.Dialect, src hookfile.Source) origin {
	return origin{c.Build, d.Name, src.File, src.Agent, src.Guess}
}

// encodeFile returns the content of a cache file.
func encodeFile(secret *state.Secret, name string, from origin, r *parseResult) []byte {
	b := append([]byte(cacheMagic), make([]byte, state.MACSize)...)
	b = appendResult(appendValue(b, reflect.ValueOf(from)), r)
	sum := secret.MAC(name, b[len(cacheMagic)+state.MACSize:])
	copy(b[len(cacheMagic):], sum[:])
	return b
}

var (
	errDamaged = errors.New("the cached file was changed")
	errOld     = errors.New("the cached file is from another version")
)

// decodeFile returns the result in a file that encodeFile made.
func decodeFile(secret *state.Secret, name string, data []byte) (parseResult, error) {
	body, err := verifiedBody(secret, name, data)
	if err != nil {
		return parseResult{}, err
	}
	d := decoder{rest: body}
	d.decodeOrigin()
	return d.decodeResult()
}

// verifiedBody returns the body of a cache file if its authentication code is right. A file of another
// version is an errOld: it is not used, but it is no sign of tampering.
func verifiedBody(secret *state.Secret, name string, data []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(data, []byte(cacheMagic))
	switch {
	case !ok && bytes.HasPrefix(data, []byte(cacheWord)):
		return nil, errOld
	case !ok || len(body) < state.MACSize || !secret.Verify(name, body[state.MACSize:], body[:state.MACSize]):
		return nil, errDamaged
	}
	return body[state.MACSize:], nil
}
