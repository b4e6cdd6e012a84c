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

// Check makes every reading in the cache again from the file that it names, and
// returns what is not as it was written, by the names of the cache's files. Readings of
// other builds and of bytes that the file no longer has cannot be made again: for them
// the secret alone vouches, and they are not used. Remove removes what is found.
func (c Cache) Check(of func(hookfile.Source) (*hookfile.Dialect, bool), builds []string, remove bool) ([]string, error) {
	names, err := c.Dir.Names(CacheFolder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	secret := c.Secret()
	if secret == nil {
		return nil, nil // nothing in it is used
	}
	slices.Sort(names)
	var found []string
	for _, base := range names {
		name := CacheFolder + "/" + base
		data, err := c.Dir.Read(name, maxCache)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was too old
		}
		var body []byte
		if err == nil {
			body, err = opened(secret, name, data)
		}
		if err == nil {
			err = again(of, builds, name, body)
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

// again makes a reading once more and compares.
func again(of func(hookfile.Source) (*hookfile.Dialect, bool), builds []string, name string, body []byte) error {
	d := decoder{rest: body}
	from := d.origin()
	kept := d.rest
	if _, err := d.reading(); err != nil {
		return err
	}
	data, err := Content(of, from.File, yamldoc.MaxSize)
	if err != nil || !slices.Contains(builds, from.Build) {
		return nil // the file is gone, or another program wrote this
	}
	src := hookfile.Source{File: from.File, Data: data, Agent: from.Agent, Guess: from.Guess}
	dialect, ok := of(src)
	if !ok {
		return nil
	}
	src.Beside = beside(dialect, src.File, yamldoc.MaxSize)
	if (Cache{Build: from.Build}).name(dialect, src) != name {
		return nil // the file says something else by now
	}
	r := reading{}
	r.File, r.err = dialect.Parse(src)
	if !bytes.Equal(appendReading(nil, &r), kept) {
		return fmt.Errorf("the cached copy does not match %s, the file it was made from", from.File)
	}
	return nil
}
