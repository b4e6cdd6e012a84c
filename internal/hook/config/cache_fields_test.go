package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/google/go-cmp/cmp"
)

// notCached are the fields of a hook that parsing a file does not set.
var notCached = []string{"From", "Also", "Off"}

// TestCacheKeepsEveryField checks that the cache stores all fields of a hook, including ones that are
// added later.
func TestCacheKeepsEveryField(t *testing.T) {
	t.Parallel()
	typ := reflect.TypeFor[checkrein.Hook]()
	for i := range typ.NumField() {
		field := typ.Field(i)
		if slices.Contains(notCached, field.Name) {
			continue
		}
		t.Run(field.Name, func(t *testing.T) {
			t.Parallel()
			h := checkrein.Hook{With: json.RawMessage(`{}`), From: checkrein.Origin{File: "/x", Line: 3}}
			setNonZero(t, reflect.ValueOf(&h).Elem().Field(i))
			want := hookfile.File{Hooks: []checkrein.Hook{h}}
			got, err := decodeCacheFile(testSecret(1), "n", encodeCacheFile(testSecret(1), "n", origin{}, &parseResult{File: want}))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := fmt.Sprintf("%+v", got.File), fmt.Sprintf("%+v", want); a != b {
				t.Errorf("got  %s\nwant %s", a, b)
			}
		})
	}
}

// TestCacheKeepsEverySetting checks that the cache stores all settings of a file.
func TestCacheKeepsEverySetting(t *testing.T) {
	t.Parallel()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[setting.Settings]()) {
		if field.Type.Kind() != reflect.Struct {
			checkSettingCached(t, field.Index)
			continue
		}
		for _, inner := range reflect.VisibleFields(field.Type) {
			checkSettingCached(t, append(field.Index, inner.Index...))
		}
	}
}

// checkSettingCached checks that the setting with that field index survives the cache.
func checkSettingCached(t *testing.T, index []int) {
	t.Helper()
	var want hookfile.File
	setNonZero(t, reflect.ValueOf(&want.Settings).Elem().FieldByIndex(index))
	got, err := decodeCacheFile(testSecret(1), "n", encodeCacheFile(testSecret(1), "n", origin{}, &parseResult{File: want}))
	if diff := cmp.Diff(want.Settings, got.Settings); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// setNonZero sets v to a value that is not zero.
func setNonZero(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf([]string{"x", "", "y z"}))
			return
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			item := reflect.New(v.Type().Elem()).Elem()
			for i := range item.NumField() {
				if item.Field(i).Type() == reflect.TypeFor[checkrein.Origin]() {
					item.Field(i).Set(reflect.ValueOf(checkrein.Origin{File: "/x", Line: 3})) // its scope is the reader's to say
					continue
				}
				setNonZero(t, item.Field(i))
			}
			v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), item))
			return
		}
		v.SetBytes([]byte(`{"x":1}`))
	default:
		t.Fatalf("a field of kind %s is new: extend the test", v.Kind())
	}
}
