module backsolve/tools/release

go 1.26.4

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/google/licensecheck v0.3.1
	github.com/goreleaser/nfpm/v2 v2.48.0
	github.com/spf13/cobra v1.10.2
)
