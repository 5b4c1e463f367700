package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// ref names the part in the bill, and anywhere else.
func (p part) ref() string { return "pkg:golang/" + p.path + "@" + p.version }

// writeBill writes the bill of materials: the programs and the C library by their names, with what is
// in each.
func writeBill(w io.Writer, version string, date time.Time, names []string, parts []part) error {
	whole := cyclonedx.Component{
		BOMRef: "backsolve", Type: cyclonedx.ComponentTypeApplication, Name: "backsolve", Version: version, Licenses: spdx("MIT"),
	}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Timestamp: date.Format(time.RFC3339), Component: &whole}
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
	dependencies := []cyclonedx.Dependency{{Ref: whole.BOMRef, Dependencies: &names}}
	within["tbserve"] = append(within["tbserve"], "font")
	for _, name := range names {
		kind := cyclonedx.ComponentTypeApplication
		if name == "libbacksolve" {
			kind = cyclonedx.ComponentTypeLibrary
		}
		components = append(components, cyclonedx.Component{
			BOMRef: name, Type: kind, Name: name, Version: version, Licenses: spdx("MIT"),
		})
		refs := within[name]
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: name, Dependencies: &refs})
	}
	bill.Components, bill.Dependencies = &components, &dependencies
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cyclonedx.SpecVersion1_6)
}

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
