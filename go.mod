module backsolve

go 1.26.0
