// Command release says what is in the programs that build.sh has built: it writes the licences of
// all modules and a bill of materials in CycloneDX.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "error: release takes the directories of the repository and of what was built, the version, and the directory of the bill; build.sh calls it")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

// write writes THIRD-PARTY-LICENSES.txt beside the programs, and the version's bill of materials.
func write(root, work, version, out string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("$SOURCE_DATE_EPOCH is not a number of seconds: %w", err)
	}
	names, parts, err := partsOf(work)
	if err != nil {
		return err
	}
	texts, err := licenseTexts(root, parts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "THIRD-PARTY-LICENSES.txt"), texts, 0o644); err != nil {
		return err
	}
	var bill bytes.Buffer
	if err := writeBill(&bill, version, time.Unix(seconds, 0).UTC(), names, parts); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "backsolve-"+version+".cdx.json"), bill.Bytes(), 0o644)
}
