package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The description, and where package.json has its programs put.
const (
	description = "openapi.yaml"
	programs    = "../../../tools/apitypes/node_modules/.bin"
)

// Each operation is answered with every status in its description, and each answer has the type
// that openapi-typescript derives from it.
func TestAnswersHaveTheirTypes(t *testing.T) {
	maker, checker := program(t, "openapi-typescript"), program(t, "tsc")
	addresses := sites(t)
	var text strings.Builder
	text.WriteString("import type { paths, components } from \"./api.js\";\n")
	for i := range operations {
		o := &operations[i]
		statuses := []string{o.faults()}
		for _, a := range o.requests() {
			r := ask(t, addresses, a)
			if r.status != a.status {
				t.Errorf("%s %s of the site %s: status %d, want %d: %.300s", a.method(), a.address, a.site, r.status, a.status, r.body)
			}
			statuses = append(statuses, fmt.Sprint(a.status))
			fmt.Fprintf(&text, "export const answer%d_%d: %s = %s;\n", i, a.status, o.typeOf(r), literal(r))
		}
		fmt.Fprintf(&text, "export const every%d: Exclude<keyof %s, %s> extends never ? true : never = true;\n", i, o.responses(), strings.Join(statuses, " | "))
	}
	r := ask(t, addresses, asked{operation: &operation{}, site: usual, address: "/nowhere"})
	if r.status != http.StatusNotFound {
		t.Errorf("status %d where there is nothing", r.status)
	}
	fmt.Fprintf(&text, "export const nowhere: components[\"schemas\"][\"Error\"] = %s;\n", literal(r))
	if t.Failed() {
		return
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "answers.ts"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, maker, description, "--output", filepath.Join(dir, "api.d.ts"))
	run(t, checker, "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler",
		filepath.Join(dir, "answers.ts"))
}

// program returns the path of a program of package.json.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(programs, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no " + name + " to check the types of answers with; run npm ci in tools/apitypes")
	}
	return path
}

// run runs a program, which must end well.
func run(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, out)
	}
}

// responses is the type of the operation's answers by status.
func (o *operation) responses() string {
	return fmt.Sprintf("paths[%q][%q][\"responses\"]", o.template, strings.ToLower(o.method()))
}

// typeOf returns the type that an answer must have: its content's, or none without content.
func (o *operation) typeOf(r reply) string {
	content := fmt.Sprintf("%s[%d][\"content\"]", o.responses(), r.status)
	if r.body == "" {
		return content
	}
	return fmt.Sprintf("NonNullable<%s>[%q]", content, r.contentType)
}

// literal writes the content of an answer in TypeScript.
func literal(r reply) string {
	switch {
	case r.body == "":
		return "undefined"
	case strings.HasSuffix(r.contentType, "json"):
		return strings.TrimSpace(r.body)
	}
	quoted, _ := json.Marshal(r.body) // any string can be encoded
	return string(quoted)
}
