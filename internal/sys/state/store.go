package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"time"
)

// ErrDamaged reports that the file of a key does not hold a value of the wanted
// type. [Store.Delete] of the key repairs it.
var ErrDamaged = errors.New("stored value is damaged")

const (
	maxKey   = 4 << 10
	maxValue = 1 << 20

	keyDigits   = 32
	valueSuffix = ".json"
)

// A Store keeps one JSON value of at most 1 MiB per key in a directory of its
// own, and forgets it when its time to live has passed since its last write. It
// is a plain value, safe for concurrent use by goroutines and processes. The
// zero Store is one in the zero [Dir].
//
// A key is any string of at most 4 KiB. Only its hash reaches the disk.
type Store struct {
	dir Dir
	sub string
	ttl time.Duration
	now func() time.Time
}

// Store returns the store in the subdirectory sub, touching nothing. A ttl of
// zero or less never expires. A nil now is [time.Now]. A sub that is no valid
// name makes every method of the store fail.
func (d Dir) Store(sub string, ttl time.Duration, now func() time.Time) Store {
	return Store{dir: d, sub: sub, ttl: ttl, now: now}
}

// Get loads the value of key into v, a pointer, and reports whether there is
// one. Without one, or with an expired one, v stays as it is. A file that holds
// no such value counts as none and is an [ErrDamaged].
func (s Store) Get(key string, v any) (bool, error) {
	name, err := s.file(key)
	if err != nil {
		return false, err
	}
	full, err := s.dir.existing(name)
	if Missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.load(full, v)
}

// Update changes the value of key under its lock: it loads the value into v, a
// pointer, or sets *v to zero when there is none; calls change, which alters
// what v points to; and writes the result, which starts the time to live anew.
// Nothing is written when change fails, and its error is returned as it is; nor
// when the old value is damaged, an [ErrDamaged], since to start from zero could
// forget what mattered. Change must not use the same key.
func (s Store) Update(key string, v any, change func() error) error {
	name, err := s.file(key)
	if err != nil {
		return err
	}
	full, err := s.dir.prepare(name)
	if err != nil {
		return err
	}
	held, err := acquire(full+lockSuffix, s.dir.lockWait())
	if err != nil {
		return err
	}
	defer held.release()
	found, err := s.load(full, v)
	if err != nil {
		return err
	}
	if !found {
		// load has seen that v is a pointer.
		reflect.ValueOf(v).Elem().SetZero()
	}
	if err := change(); err != nil {
		return err
	}
	return s.save(full, v)
}

// Add appends data to the value of key, at the price of one small write: Update makes
// the whole file anew. Such a value is what [Store.Text] returns, all data that was
// added, in order; Get and Update are not for it. It takes no lock, so that what is
// added in the moment in which an expired value goes may go with it.
func (s Store) Add(key string, data []byte) error {
	name, err := s.file(key)
	if err != nil {
		return err
	}
	full, err := s.dir.prepare(name)
	if err != nil {
		return err
	}
	if s.isExpired(full) {
		if err := removeFile(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := openHandle(full, true)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	if size+int64(len(data)) > maxValue {
		return fmt.Errorf("write %s: more than %d bytes: %w", full, maxValue, ErrTooLarge)
	}
	_, err = f.Write(data)
	return err
}

// Text returns what was added to the value of key, or the JSON of one that Update wrote,
// for whom reads it without reflection; nil when there is none, or an expired one.
func (s Store) Text(key string) ([]byte, error) {
	name, err := s.file(key)
	if err != nil {
		return nil, err
	}
	full, err := s.dir.existing(name)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	data, written, err := readFile(full, maxValue)
	if err != nil || s.expired(written) {
		return nil, ignoreMissing(err)
	}
	return data, nil
}

func ignoreMissing(err error) error {
	if Missing(err) {
		return nil
	}
	return err
}

// Delete forgets key. To delete what does not exist is no error.
func (s Store) Delete(key string) error {
	name, err := s.file(key)
	if err != nil {
		return err
	}
	if s.dir.path == "" {
		return fmt.Errorf("delete %s: %w", name, ErrNoState)
	}
	full, err := s.dir.existing(name)
	if Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	held, err := acquire(full+lockSuffix, s.dir.lockWait())
	if err != nil {
		return err
	}
	defer held.drop()
	if err := removeFile(full); !Missing(err) {
		return err
	}
	return nil
}

// file is the name of key's file. Hashing makes every key a harmless one.
func (s Store) file(key string) (string, error) {
	if len(key) > maxKey {
		return "", fmt.Errorf("key of %d bytes is longer than %d: %w", len(key), maxKey, fs.ErrInvalid)
	}
	sum := sha256.Sum256([]byte(key))
	return s.sub + "/" + hex.EncodeToString(sum[:keyDigits/2]) + valueSuffix, nil
}

// load decodes the value at path into v, all of it or nothing.
func (s Store) load(path string, v any) (bool, error) {
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return false, fmt.Errorf("state value must be a pointer, not %T: %w", v, fs.ErrInvalid)
	}
	data, written, err := readFile(path, maxValue)
	if Missing(err) {
		return false, nil
	}
	if errors.Is(err, ErrTooLarge) {
		return false, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return false, err
	}
	if s.expired(written) {
		return false, nil
	}
	// Into a new value, lest what v held before shines through.
	fresh := reflect.New(to.Type().Elem())
	if err := json.Unmarshal(data, fresh.Interface()); err != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
	}
	to.Elem().Set(fresh.Elem())
	return true, nil
}

func (s Store) save(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if len(data) > maxValue {
		return fmt.Errorf("write %s: more than %d bytes: %w", path, maxValue, ErrTooLarge)
	}
	// The file's own time is the time of the last write by the store's clock,
	// so that Sweep need not read a file to know its age.
	return writeFile(path, data, s.time())
}

func (s Store) time() time.Time {
	if s.now == nil {
		return time.Now()
	}
	return s.now()
}

// expired also holds for what was written further in the future than the time
// to live: the clock was wrong then, and no one would live to see it expire.
func (s Store) expired(written time.Time) bool {
	age := s.time().Sub(written)
	return s.ttl > 0 && (age >= s.ttl || age < -s.ttl)
}
