// Package docs has the test that runs what the pages of the project show. See
// tools/README.md for what writers have to know.
package docs
