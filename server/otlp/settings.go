package otlp

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// settings are what the variables of OpenTelemetry say.
type settings struct {
	endpoint, service string
	headers           map[string]string
	byParent          bool    // whether a parent decides
	ratio             float64 // of the traces to sample that have no parent
}

// FromEnvironment returns the exporter that the variables of OpenTelemetry describe, nil without
// an endpoint. service is the name of who does not give another.
func FromEnvironment(env func(string) string, service string) (*Exporter, error) {
	s := settings{endpoint: env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), service: service, headers: map[string]string{}}
	if name := env("OTEL_SERVICE_NAME"); name != "" {
		s.service = name
	}
	if base := env("OTEL_EXPORTER_OTLP_ENDPOINT"); s.endpoint == "" && base != "" {
		s.endpoint = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if s.endpoint == "" || strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	if u, err := url.Parse(s.endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a collector; give one such as http://127.0.0.1:4318")
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if value := env(name); value != "" && value != "http/json" {
			return nil, fmt.Errorf("%s is %.40q, but spans are sent as http/json, which collectors take at the same port as http/protobuf; leave it out", name, value)
		}
	}
	for pair := range strings.SplitSeq(env("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		decoded, err := url.PathUnescape(value)
		if err != nil || name == "" && pair != "" {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS is not a list such as name=value,name=value")
		}
		if name != "" {
			s.headers[name] = decoded
		}
	}
	err := s.setSampler(env("OTEL_TRACES_SAMPLER"), env("OTEL_TRACES_SAMPLER_ARG"))
	if err != nil {
		return nil, err
	}
	return newExporter(s), nil
}

// setSampler sets which traces are sampled: by default those whose parent is, or that have none.
func (s *settings) setSampler(name, argument string) error {
	root, byParent := strings.CutPrefix(name, "parentbased_")
	s.byParent = byParent || name == ""
	switch root {
	case "", "always_on":
		s.ratio = 1
	case "always_off":
		s.ratio = 0
	case "traceidratio":
		s.ratio = 1
		if argument != "" {
			var err error
			if s.ratio, err = strconv.ParseFloat(argument, 64); err != nil || !(s.ratio >= 0 && s.ratio <= 1) {
				return fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %.40q; give the part of the traces to sample, from 0 to 1", argument)
			}
		}
	default:
		return fmt.Errorf("OTEL_TRACES_SAMPLER is %.40q; known are always_on, always_off and traceidratio, alone and with parentbased_ before them", name)
	}
	return nil
}

// samples decides on a trace: as its parent, or by the last digits of its id, as others do.
func (s *settings) samples(traceID string, hasParent, sampled bool) bool {
	if hasParent && s.byParent {
		return sampled
	}
	low, _ := strconv.ParseUint(traceID[16:], 16, 64) // digits alone
	return s.ratio >= 1 || float64(low>>1) < s.ratio*math.MaxInt64
}
