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

// A Cache holds the results of parsing files, by the build of checkrein and the content of the files,
// because parsing YAML takes a short-lived process longer than deciding an event. It holds hooks,
// never approvals. The zero Cache is always empty.
//
// Its content decides what runs, so each file in it has an authentication code that covers its name. A
// file that was changed, truncated, renamed or written with another secret counts as missing.
type Cache struct {
	Dir   state.Dir
	Build string // identifies the build of checkrein
	// Secret returns the secret that authenticates the files. If it is nil or returns nil, the cache
	// is not used.
	Secret func() *state.Secret
	// OnDamaged is called for each source whose cached result was tampered with. The error is
	// [state.ErrNotDir] if there is no cache because the path of its directory is something else.
	OnDamaged func(source string, err error)
}

// CacheFolder is the name of the cache's directory in the state directory.
const CacheFolder = "cache"

const (
	cacheMagic = "checkrein cache 13\n" // followed by the MAC of the rest
	cacheWord  = "checkrein cache "     // prefix of files of all versions
	maxCache   = 8 << 20
	cacheKeep  = 200 // maximum number of files, including results for outdated contents
)

// fileName returns the name of the cache file for src in dialect d: a digest of everything on which
// the result of parsing depends.
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

// secret returns the secret, or nil if the cache is not used.
func (c Cache) secret() *state.Secret {
	if c.Build == "" || c.Secret == nil {
		return nil
	}
	return c.Secret()
}

// A parseResult is a parsed file and the joined mistakes in it.
type parseResult struct {
	hookfile.File
	err error
}

// get returns the cached result for src, or false if there is none.
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
		r, err = decodeCacheFile(secret, name, data)
	}
	if err == nil {
		return r, true
	}
	_ = c.Dir.Remove(name) // on failure, put replaces it
	if !errors.Is(err, errOld) && c.OnDamaged != nil {
		c.OnDamaged(src.File, err)
	}
	return parseResult{}, false
}

// put stores the result for src. Errors are ignored, because without a cache parsing only takes
// longer.
func (c Cache) put(d *hookfile.Dialect, src hookfile.Source, r *parseResult) {
	secret := c.secret()
	if secret == nil {
		return
	}
	name := c.fileName(d, src)
	if c.Dir.Write(name, encodeCacheFile(secret, name, c.origin(d, src), r)) == nil {
		_ = c.Dir.Prune(CacheFolder, cacheKeep)
	}
}

// An origin identifies the source of a cached result, so that it can be parsed again.
type origin struct {
	Build, Dialect, File, Agent string
	Guess                       bool
}

func (c Cache) origin(d *hookfile.Dialect, src hookfile.Source) origin {
	return origin{c.Build, d.Name, src.File, src.Agent, src.Guess}
}

// encodeCacheFile returns the content of the cache file name.
func encodeCacheFile(secret *state.Secret, name string, from origin, r *parseResult) []byte {
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

// decodeCacheFile returns the result in data, the content of the cache file name.
func decodeCacheFile(secret *state.Secret, name string, data []byte) (parseResult, error) {
	body, err := verifiedBody(secret, name, data)
	if err != nil {
		return parseResult{}, err
	}
	d := decoder{rest: body}
	d.decodeOrigin()
	return d.decodeResult()
}

// verifiedBody returns the body of the cache file name if its authentication code is right. For a file
// of another version it returns errOld: such a file is not used, but it is not a sign of tampering.
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
