// Package client asks a tbserve from Go programs. It is generated from the API's
// description, server/api/openapi.yaml.
package client
