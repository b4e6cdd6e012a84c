package packset_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

var names = []string{"filesystem", "git", "disk", "secrets"}

func known() []string { return names }

// parseSetting returns the setting that text describes, such as "managed git high=ask medium=none
// allow=./x off".
func parseSetting(text string) setting.Pack {
	f := strings.Fields(text)
	scope := map[string]checkrein.Scope{"managed": checkrein.ScopeManaged, "user": checkrein.ScopeUser, "project": checkrein.ScopeProject}[f[0]]
	s := setting.Pack{From: checkrein.Origin{Scope: scope, File: "/" + f[0] + ".yaml", Line: 3}}
	if f[1] != "[]" {
		s.Name = f[1]
	} else {
		s.Off = true
	}
	for _, w := range f[2:] {
		key, val, _ := strings.Cut(w, "=")
		switch key {
		case "off":
			s.Off = true
		case "allow":
			s.Allow = append(s.Allow, val)
		default:
			d, _ := hookfile.ParseDecision(val)
			s.By = append(s.By, setting.PackDecision{Key: key, Is: d})
		}
	}
	return s
}

func settings(texts ...string) []setting.Pack {
	var out []setting.Pack
	for _, t := range texts {
		out = append(out, parseSetting(t))
	}
	return out
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said                 []string
		managed, user        string // arguments
		off, unknown, ignore string
	}{
		{said: nil, user: "*"},
		{said: []string{"user git"}, user: "*"},
		{said: []string{"user git high=ask"}, user: "* git git.high=ask"},
		{said: []string{"user git off"}, user: "* git git.off=true", off: "git"},
		{said: []string{"user []"}, off: "filesystem git disk secrets"},
		{said: []string{"user []", "user git"}, user: "git", off: "filesystem disk secrets"},
		{said: []string{"user filesystem allow=./b/** medium=none"}, user: "* filesystem filesystem.medium=none filesystem.allow=./b/**"},
		// Of two files of the user, the stricter one counts.
		{said: []string{"user git high=ask", "user git medium=deny"}, user: "* git git.high=ask git git.medium=deny"},
		{said: []string{"user git high=ask", "user git"}, user: "* git git git.high=ask"},

		// Managed files: no other file loosens what they set, and the user decides about packs that
		// they do not name.
		{said: []string{"managed git"}, managed: "git", user: "* git git.off=true"},
		{said: []string{"managed git", "user git off"}, managed: "git", user: "* git git.off=true"},
		{said: []string{"managed git", "user git medium=none"}, managed: "git", user: "* git git.off=true"},
		{said: []string{"managed git", "user git high=ask"}, managed: "git", user: "* git git.high=ask"}, // which a row may pass
		{said: []string{"managed git", "user []"}, managed: "git", off: "filesystem disk secrets"},
		{said: []string{"managed git", "user git allow=./x"}, managed: "git", user: "* git git.off=true"},
		{said: []string{"managed git", "user git low=ask"}, managed: "git", user: "* git git.low=ask"},
		{said: []string{"managed git high=ask"}, managed: "git git.high=ask", user: "* git git.off=true"},
		{said: []string{"managed git high=ask", "user git"}, managed: "git git.high=ask", user: "*"},
		{said: []string{"managed git off"}, user: "* git git.off=true", off: "git"},
		{said: []string{"managed []", "user git"}, user: "git", off: "filesystem disk secrets"},

		// A project only tightens.
		{said: []string{"project git low=ask"}, user: "* git git git.low=ask git.project=/project.yaml:3"},
		{said: []string{"project git"}, user: "*"},
		{said: []string{"project git high=ask"}, user: "*", ignore: "high: ask"},
		{said: []string{"project git off"}, user: "*", ignore: "off: true for git"},
		{said: []string{"project []"}, user: "*", ignore: "packs: []"},
		{said: []string{"project git allow=**"}, user: "*", ignore: "allow"},
		{said: []string{"user git off", "project git"}, user: "* git git.project=/project.yaml:3"},
		{said: []string{"managed git", "project git medium=deny"}, managed: "git", user: "* git git.medium=deny git.project=/project.yaml:3"},

		// A typo has no effect on anything else.
		{said: []string{"user gti high=ask", "user disk off"}, user: "* disk disk.off=true", off: "disk", unknown: `unknown pack "gti", did you mean "git"?`},
	} {
		t.Run(strings.Join(tt.said, "; "), func(t *testing.T) {
			t.Parallel()
			got := packset.Merge(settings(tt.said...), known, true)
			check := func(what, got, want string) {
				if got != want {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			check("managed", strings.Join(packset.EncodeArgs(got.Managed), " "), tt.managed)
			check("user", strings.Join(packset.EncodeArgs(got.User), " "), tt.user)
			check("off", strings.Join(got.Off, " "), tt.off)
			if tt.unknown != "" && !strings.Contains(fmt.Sprint(got.Err()), tt.unknown) || tt.unknown == "" && got.Err() != nil {
				t.Errorf("unknown: %v", got.Err())
			}
			if said := strings.Join(got.Ignored, "\n"); tt.ignore != "" && !strings.Contains(said, tt.ignore) || tt.ignore == "" && said != "" {
				t.Errorf("ignored: %q", said)
			}
		})
	}
}

// TestMergeNotByDefault checks that only packs that a file names are on if byDefault is false, as for
// files given by name.
func TestMergeNotByDefault(t *testing.T) {
	t.Parallel()
	if s := packset.Merge(nil, known, false); len(s.User)+len(s.Managed)+len(s.Off) != 0 {
		t.Errorf("without a word: %+v", s)
	}
	s := packset.Merge(settings("user git high=ask"), known, false)
	if got := strings.Join(packset.EncodeArgs(s.User), " "); got != "git git.high=ask" || len(s.Off) != 0 {
		t.Errorf("%s, off %v", got, s.Off)
	}
}

// decide returns the decision of s about an effect of pack with the given key, whose default decision
// is usual.
func decide(s packset.Set, pack string, key int, usual checkrein.Decision, path string) checkrein.Decision {
	worst := checkrein.NoOpinion
	for _, list := range [][]packset.Part{s.Managed, s.User} {
		named := slices.ContainsFunc(list, func(p packset.Part) bool { return p.Name == pack })
		for _, p := range list {
			if p.Name != pack && (p.Name != packset.Every || named) || slices.Contains(p.Allow, path) {
				continue
			}
			worst = max(worst, p.By[key].Min)
			if p.By[key].Default {
				worst = max(worst, usual)
			}
		}
	}
	return worst
}

// TestMergeLaws checks the rules of Merge with random settings: the order has no meaning, no other
// file loosens what managed files set for a pack, and a project only tightens.
func TestMergeLaws(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	one := func() setting.Pack {
		text := pick("managed", "user", "project") + " " + pick("git", "git", "disk", "filesystem", "gti", "[]")
		for range rng.IntN(3) {
			text += " " + pick("off", "high=ask", "high=none", "medium=none", "medium=deny", "low=deny", "exfiltration=ask", "allow=./x", "unknown=ask")
		}
		return parseSetting(text)
	}
	for range 4000 {
		var said []setting.Pack
		for range rng.IntN(6) {
			said = append(said, one())
		}
		all := packset.Merge(said, known, true)
		mixed := slices.Clone(said)
		rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if again := packset.Merge(mixed, known, true); !reflect.DeepEqual(all.Managed, again.Managed) || !reflect.DeepEqual(all.User, again.User) || !slices.Equal(all.Off, again.Off) {
			t.Fatalf("the order counts in %+v:\n%v\n%v", said, packset.EncodeArgs(all.User), packset.EncodeArgs(again.User))
		}
		of := func(scopes ...checkrein.Scope) packset.Set {
			return packset.Merge(slices.DeleteFunc(slices.Clone(said), func(s setting.Pack) bool { return !slices.Contains(scopes, s.From.Scope) }), known, true)
		}
		managed, own := of(checkrein.ScopeManaged), of(checkrein.ScopeManaged, checkrein.ScopeUser)
		for _, pack := range names {
			byManaged := slices.ContainsFunc(said, func(s setting.Pack) bool { return s.From.Scope == checkrein.ScopeManaged && s.Name == pack })
			for key := range setting.PackKeys {
				for _, path := range []string{"./x", "./y"} {
					u := []checkrein.Decision{checkrein.NoOpinion, checkrein.Ask, checkrein.Deny}[rng.IntN(3)]
					got := decide(all, pack, key, u, path)
					if byManaged && got < decide(managed, pack, key, u, path) {
						t.Fatalf("%s.%s is looser than managed in %+v", pack, setting.PackKeys[key], said)
					}
					if got < decide(own, pack, key, u, path) {
						t.Fatalf("a project loosens %s.%s in %+v", pack, setting.PackKeys[key], said)
					}
					strict := checkrein.NoOpinion
					named := false
					for i := range said {
						if s := &said[i]; s.Name == pack && s.From.Scope != checkrein.ScopeProject {
							named = true
							one := packset.Merge([]setting.Pack{{Name: s.Name, Off: s.Off, By: s.By, Allow: s.Allow}}, known, false)
							strict = max(strict, decide(one, pack, key, u, path))
						}
					}
					everyOff := slices.ContainsFunc(said, func(s setting.Pack) bool { return s.Name == "" && s.From.Scope != checkrein.ScopeProject })
					if !named && !everyOff {
						strict = max(strict, u)
					}
					if mine := decide(own, pack, key, u, path); mine != strict {
						t.Fatalf("%s.%s is %s, want %s in %+v", pack, setting.PackKeys[key], mine, strict, said)
					}
				}
			}
		}
	}
}

// TestEncodeArgs checks that Parse decodes what EncodeArgs encodes.
func TestEncodeArgs(t *testing.T) {
	t.Parallel()
	s := packset.Merge(settings("user git high=ask allow=./x", "project git low=deny", "user disk off"), known, true)
	got, err := packset.Parse(packset.EncodeArgs(s.User), nil)
	if err != nil || !reflect.DeepEqual(got, s.User) {
		t.Errorf("%v: %+v\nwant %+v", err, got, s.User)
	}
}
