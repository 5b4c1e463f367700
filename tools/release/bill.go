package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// ref names the part in the bill, and anywhere else.
func (p part) ref() string { return "pkg:golang/" + p.path + "@" + p.version }

// writeBill writes the bill of materials: the programs and the C library,
// with what is in each.
func (r *release) writeBill(parts []part) error {
	whole := cyclonedx.Component{
		BOMRef: "backsolve", Type: cyclonedx.ComponentTypeApplication, Name: "backsolve", Version: r.version.file, Licenses: spdx("MIT"),
	}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &whole}
	components := []cyclonedx.Component{{BOMRef: "font", Type: cyclonedx.ComponentTypeData, Name: font.version, Licenses: spdx(font.licenses...)}}
	within := map[string][]string{}
	for _, p := range parts {
		c := cyclonedx.Component{
			BOMRef: p.ref(), Type: cyclonedx.ComponentTypeLibrary, Name: p.path, Version: p.version, PackageURL: p.ref(),
			Licenses: spdx(p.licenses...),
		}
		if p.sum != "" {
			hash, err := hexOfSum(p.sum)
			if err != nil {
				return fmt.Errorf("%s: %w", p.path, err)
			}
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hash}}
		}
		components = append(components, c)
		for _, program := range p.programs {
			within[program] = append(within[program], p.ref())
		}
	}
	names := append(programNames(), cLibrary)
	dependencies := []cyclonedx.Dependency{{Ref: whole.BOMRef, Dependencies: &names}}
	within["tbserve"] = append(within["tbserve"], "font")
	for _, name := range names {
		kind := cyclonedx.ComponentTypeApplication
		if name == cLibrary {
			kind = cyclonedx.ComponentTypeLibrary
		}
		components = append(components, cyclonedx.Component{
			BOMRef: name, Type: kind, Name: name, Version: r.version.file, Licenses: spdx("MIT"),
		})
		refs := within[name]
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: name, Dependencies: &refs})
	}
	bill.Components, bill.Dependencies = &components, &dependencies
	var b bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	if err := encoder.EncodeVersion(bill, cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "backsolve-"+r.version.file+".cdx.json"), b.Bytes(), 0o644)
}

// spdx returns licenses by the names of SPDX.
func spdx(ids ...string) *cyclonedx.Licenses {
	var all cyclonedx.Licenses
	for _, id := range ids {
		all = append(all, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
	}
	return &all
}

// hexOfSum returns the hash of a module's checksum, as go.sum has it, in hexadecimal.
func hexOfSum(sum string) (string, error) {
	hash, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil || !strings.HasPrefix(sum, "h1:") {
		return "", fmt.Errorf("the checksum %q is of no known kind", sum)
	}
	return hex.EncodeToString(hash), nil
}
