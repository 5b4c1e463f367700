// Package api is the HTTP API as openapi.yaml describes it: its messages and routes, generated from there.
package api

import _ "embed"

//go:generate go build -C ../../../tools/openapi -o ../../bin/ github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
//go:generate ../../../bin/oapi-codegen --config server.cfg.yaml openapi.yaml

// Spec is openapi.yaml.
//
//go:embed openapi.yaml
var Spec []byte

// Or returns an optional value, or a default where it is missing.
func Or[T any](value *T, missing T) T {
	if value == nil {
		return missing
	}
	return *value
}
