module backsolve/learn

go 1.26.0

require (
	backsolve v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
)

replace backsolve => ../
