// Command sbom writes what the Go programs in an archive of a release consist of, as CycloneDX. It reads
// the build information in the programs themselves, so it lists exactly what was linked.
//
//	sbom ARCHIVE OUT VERSION
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: sbom ARCHIVE OUT VERSION")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	name := filepath.Base(args[0])
	read := readTar
	if strings.HasSuffix(name, ".zip") {
		read = readZip
	}
	d := document{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{component{Type: "application", Ref: name, Name: name, Version: args[2]}},
	}
	libraries := map[string]component{}
	if err := read(text, func(file string, program []byte) { d.addProgram(libraries, file, program, args[2]) }); err != nil {
		return fmt.Errorf("reading %s: %w", args[0], err)
	}
	if len(d.Components) == 0 {
		return fmt.Errorf("%s has no Go program", args[0])
	}
	for _, ref := range slices.Sorted(maps.Keys(libraries)) {
		d.Components = append(d.Components, libraries[ref])
	}
	out, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], append(out, '\n'), 0o644)
}

// A document is a bill of materials of CycloneDX 1.6. It has no serial number and no time, so that equal
// archives have equal documents.
type document struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// addProgram adds a program, and its modules to libraries. It ignores files that are no Go programs.
func (d *document) addProgram(libraries map[string]component, file string, program []byte, version string) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return
	}
	sum := sha256.Sum256(program)
	d.Components = append(d.Components, component{
		Type: "application", Ref: file, Name: file, Version: version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	})
	dep := dependency{Ref: file}
	add := func(path, version string) {
		purl := "pkg:golang/" + path + "@" + version
		libraries[purl] = component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
		dep.On = append(dep.On, purl)
	}
	add("stdlib", strings.TrimPrefix(info.GoVersion, "go"))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version != "" && m.Version != "(devel)" { // otherwise a directory of this repository
			add(m.Path, m.Version)
		}
	}
	d.Dependencies = append(d.Dependencies, dep)
}

// readTar calls use for each file in a tar.gz archive.
func readTar(text []byte, use func(name string, file []byte)) error {
	plain, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for archive := tar.NewReader(plain); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		file, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		use(h.Name, file)
	}
}

// readZip calls use for each file in a zip archive.
func readZip(text []byte, use func(name string, file []byte)) error {
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		file, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
		use(f.Name, file)
	}
	return nil
}
