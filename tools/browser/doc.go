// Package browser has the tests that click through the page in a headless Chromium, and
// takes the pictures of docs/reference/page.md. See tools/README.md.
package browser
