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

// ErrDamaged is the error if the file of a key does not hold a value of the wanted type.
// [Store.Delete] repairs the key.
var ErrDamaged = errors.New("stored value is damaged")

const (
	maxKey   = 4 << 10
	maxValue = 1 << 20

	keyDigits   = 32
	valueSuffix = ".json"
)

// A Store holds one JSON value of at most 1 MiB per key, in its own directory. A value expires when
// its time to live has passed since its last write. A Store is a plain value, safe for concurrent use
// by goroutines and processes. The zero Store is one in the zero [Dir].
//
// A key is any string of at most 4 KiB. Only its hash is written to the disk.
type Store struct {
	dir Dir
	sub string
	ttl time.Duration
	now func() time.Time
}

// OpenStore returns the store in the directory sub without accessing it. If ttl is zero or less,
// values never expire. A nil now means [time.Now]. If sub is not a valid name, every method of the
// store fails.
func (d Dir) OpenStore(sub string, ttl time.Duration, now func() time.Time) Store {
	return Store{dir: d, sub: sub, ttl: ttl, now: now}
}

// Get loads the value of key into v, a pointer, and reports whether there is one. If there is none, or
// it has expired, v is unchanged. If the file does not hold such a value, the error is an
// [ErrDamaged].
func (s Store) Get(key string, v any) (bool, error) {
	name, err := s.fileName(key)
	if err != nil {
		return false, err
	}
	full, err := s.dir.resolve(name)
	if IsMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.load(full, v)
}

// Update changes the value of key under its lock. It loads the value into v, a pointer, or sets *v to
// zero if there is none; calls change, which alters what v points to; and writes the result, which
// restarts the time to live. If change fails, nothing is written and its error is returned unchanged.
// If the old value is damaged, nothing is written either and the error is an [ErrDamaged], because
// starting from zero could lose something that matters. The function change must not use the same key.
func (s Store) Update(key string, v any, change func() error) error {
	name, err := s.fileName(key)
	if err != nil {
		return err
	}
	full, err := s.dir.makeParents(name)
	if err != nil {
		return err
	}
	held, err := acquireLock(full+lockSuffix, s.dir.lockWait())
	if err != nil {
		return err
	}
	defer held.release()
	found, err := s.load(full, v)
	if err != nil {
		return err
	}
	if !found {
		// load has checked that v is a pointer.
		reflect.ValueOf(v).Elem().SetZero()
	}
	if err := change(); err != nil {
		return err
	}
	return s.save(full, v)
}

// AppendText appends data to the value of key at the cost of one small write, while Update rewrites
// the whole file. [Store.Text] returns such a value, which is all appended data in order; Get and
// Update must not be used on it. AppendText takes no lock, so data that is appended while an expired
// value is removed may be lost.
func (s Store) AppendText(key string, data []byte) error {
	name, err := s.fileName(key)
	if err != nil {
		return err
	}
	full, err := s.dir.makeParents(name)
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

// Text returns the data that AppendText appended to the value of key, or the JSON that Update wrote,
// for callers that decode it without reflection. It returns nil if there is none or it has expired.
func (s Store) Text(key string) ([]byte, error) {
	name, err := s.fileName(key)
	if err != nil {
		return nil, err
	}
	full, err := s.dir.resolve(name)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	data, written, err := readFile(full, maxValue)
	if err != nil || s.isPastTTL(written) {
		return nil, ignoreMissing(err)
	}
	return data, nil
}

// ignoreMissing returns nil if err means that a file does not exist, otherwise err.
func ignoreMissing(err error) error {
	if IsMissing(err) {
		return nil
	}
	return err
}

// Delete removes the value of key. It is no error if there is none.
func (s Store) Delete(key string) error {
	name, err := s.fileName(key)
	if err != nil {
		return err
	}
	if s.dir.path == "" {
		return fmt.Errorf("delete %s: %w", name, ErrNoState)
	}
	full, err := s.dir.resolve(name)
	if IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	held, err := acquireLock(full+lockSuffix, s.dir.lockWait())
	if err != nil {
		return err
	}
	defer held.releaseAndRemove()
	if err := removeFile(full); !IsMissing(err) {
		return err
	}
	return nil
}

// fileName returns the name of the file of key. It is a hash, so that any key has a valid name.
func (s Store) fileName(key string) (string, error) {
	if len(key) > maxKey {
		return "", fmt.Errorf("key of %d bytes is longer than %d: %w", len(key), maxKey, fs.ErrInvalid)
	}
	sum := sha256.Sum256([]byte(key))
	return s.sub + "/" + hex.EncodeToString(sum[:keyDigits/2]) + valueSuffix, nil
}

// load decodes the value at path into v, completely or not at all, and reports whether there is one.
func (s Store) load(path string, v any) (bool, error) {
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return false, fmt.Errorf("state value must be a pointer, not %T: %w", v, fs.ErrInvalid)
	}
	data, written, err := readFile(path, maxValue)
	if IsMissing(err) {
		return false, nil
	}
	if errors.Is(err, ErrTooLarge) {
		return false, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return false, err
	}
	if s.isPastTTL(written) {
		return false, nil
	}
	// Decode into a new value, so that nothing of the old one remains.
	fresh := reflect.New(to.Type().Elem())
	if err := json.Unmarshal(data, fresh.Interface()); err != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
	}
	to.Elem().Set(fresh.Elem())
	return true, nil
}

// save writes the JSON of v to path.
func (s Store) save(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if len(data) > maxValue {
		return fmt.Errorf("write %s: more than %d bytes: %w", path, maxValue, ErrTooLarge)
	}
	// The store's clock sets the file's modification time, so that Sweep finds the age
	// of the value without reading it.
	return writeFile(path, data, s.currentTime())
}

// currentTime returns the time of the store's clock.
func (s Store) currentTime() time.Time {
	if s.now == nil {
		return time.Now()
	}
	return s.now()
}

// isPastTTL reports whether a value that was written at the time written has expired. A time further
// in the future than the time to live counts as expired too, because the clock was wrong and the value
// would hardly ever expire.
func (s Store) isPastTTL(written time.Time) bool {
	age := s.currentTime().Sub(written)
	return s.ttl > 0 && (age >= s.ttl || age < -s.ttl)
}
