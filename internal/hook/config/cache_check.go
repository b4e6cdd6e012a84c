package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// CheckFiles parses the source of every cached result again, with the dialect that the function of
// returns, and returns the names of the cache files whose results differ. Results of builds that are
// not in builds, and of sources that have changed, are never used and cannot be compared; only their
// authentication codes are checked. If remove is set, the returned files are removed.
func (c Cache) CheckFiles(of func(hookfile.Source) (*hookfile.Dialect, bool), builds []string, remove bool) ([]string, error) {
	names, err := c.Dir.Names(CacheFolder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	secret := c.Secret()
	if secret == nil {
		return nil, nil // the cache is not used
	}
	slices.Sort(names)
	var found []string
	for _, base := range names {
		name := CacheFolder + "/" + base
		data, err := c.Dir.Read(name, maxCache)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed by Prune in the meantime
		}
		var body []byte
		if err == nil {
			body, err = verifiedBody(secret, name, data)
		}
		if err == nil {
			err = checkCached(of, builds, name, body)
		}
		if err == nil || errors.Is(err, errOld) {
			continue
		}
		found = append(found, fmt.Sprintf("%s: %v", c.Dir.Path(name), err))
		if remove {
			if err := c.Dir.Remove(name); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// checkCached parses the source of the result in body, from the cache file name, again. It returns an
// error if the results differ.
func checkCached(of func(hookfile.Source) (*hookfile.Dialect, bool), builds []string, name string, body []byte) error {
	d := decoder{rest: body}
	from := d.decodeOrigin()
	kept := d.rest
	if _, err := d.decodeResult(); err != nil {
		return err
	}
	data, err := ReadContent(of, from.File, yamldoc.MaxSize)
	if err != nil || !slices.Contains(builds, from.Build) {
		return nil // the source no longer exists, or another build stored the result
	}
	src := hookfile.Source{File: from.File, Data: data, Agent: from.Agent, Guess: from.Guess}
	dialect, ok := of(src)
	if !ok {
		return nil
	}
	src.Beside = readBeside(dialect, src.File, yamldoc.MaxSize)
	if (Cache{Build: from.Build}).fileName(dialect, src) != name {
		return nil // the source has changed since the result was stored
	}
	r := parseResult{}
	r.File, r.err = dialect.Parse(src)
	if !bytes.Equal(appendResult(nil, &r), kept) {
		return fmt.Errorf("the cached copy does not match %s, the file it was made from", from.File)
	}
	return nil
}
