package store

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// amazon is the server where the environment names none.
const amazon = "https://s3.amazonaws.com"

// openBucket opens the store at s3://bucket/prefix, and looks whether it can be reached.
func openBucket(ctx context.Context, address string) (Store, error) {
	b, err := parseBucket(address)
	if err != nil {
		return nil, err
	}
	endpoint, err := endpointFromEnv()
	if err != nil {
		return nil, err
	}
	b.where = endpoint.Host
	found, err := credentialsFromEnv()
	if err != nil {
		return nil, err
	}
	b.secure = endpoint.Scheme == "https"
	transport, err := transportFromEnv(b.secure)
	if err != nil {
		return nil, err
	}
	region := os.Getenv("AWS_REGION")
	if region == "" {
		region = os.Getenv("AWS_DEFAULT_REGION")
	}
	b.client, err = minio.NewCore(endpoint.Host, &minio.Options{
		Creds: found, Secure: b.secure, Transport: transport,
		Region: region,
	})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be a server of S3: %w", b.where, err)
	}
	there, err := b.client.BucketExists(ctx, b.name)
	if err == nil && !there {
		err = minio.ErrorResponse{Code: minio.NoSuchBucket}
	}
	if err != nil {
		if err = b.explain(err); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("the store %s cannot be opened: %w", b, err)
	}
	return &framed{b}, nil
}

// parseBucket reads bucket and prefix. A wrong address is not repeated as a whole: there
// may be a secret in it.
func parseBucket(address string) (*bucket, error) {
	const form = "write s3://bucket/prefix"
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("the address of the store cannot be read; " + form)
	case u.User != nil:
		return nil, errors.New("the address of the store has credentials in it, which others could see; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and " + form)
	case u.RawQuery != "" || u.Fragment != "" || u.Port() != "":
		return nil, errors.New("the address of the store has more in it than a bucket and a prefix; " + form + ", and name the server by AWS_ENDPOINT_URL")
	}
	if err := s3utils.CheckValidBucketNameStrict(u.Host); err != nil {
		return nil, fmt.Errorf("%q is no bucket: %w; %s", u.Host, err, form)
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix == "" {
		return &bucket{name: u.Host}, nil
	}
	if err := CheckName(prefix); err != nil {
		return nil, fmt.Errorf("%q cannot be a prefix: %w", prefix, err)
	}
	return &bucket{name: u.Host, prefix: prefix + "/"}, nil
}

// endpointFromEnv returns the URL of the server.
func endpointFromEnv() (*url.URL, error) {
	name := "AWS_ENDPOINT_URL_S3"
	if os.Getenv(name) == "" {
		name = "AWS_ENDPOINT_URL"
	}
	endpoint := os.Getenv(name)
	u, err := url.Parse(cmp.Or(endpoint, amazon))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the URL of a server; an example is https://s3.example.org:9000", name)
	}
	return u, nil
}

// credentialsFromEnv returns the credentials that the environment has, or the shared
// files. Half of them are an error, and so are none: nothing could be written.
func credentialsFromEnv() (*credentials.Credentials, error) {
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id != "" && secret != "" {
		return credentials.NewEnvAWS(), nil
	}
	if id != "" || secret != "" {
		return nil, errors.New("one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set without the other; set both")
	}
	found := credentials.NewFileAWSCredentials("", "")
	if value, err := found.GetWithContext(nil); err == nil && value.AccessKeyID != "" && value.SecretAccessKey != "" {
		return found, nil
	}
	profile := os.Getenv("AWS_PROFILE")
	// What was wrong with the files is not told: it could quote them.
	return nil, fmt.Errorf("there are no credentials for S3 in the environment, and none of the profile %q in ~/.aws/credentials; "+
		"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or see to that file", cmp.Or(profile, "default"))
}

// transportFromEnv returns the client's transport, which trusts the certificates of
// AWS_CA_BUNDLE as well as the system's.
func transportFromEnv(secure bool) (http.RoundTripper, error) {
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	bundle := os.Getenv("AWS_CA_BUNDLE")
	if !secure || bundle == "" {
		return transport, nil
	}
	text, err := os.ReadFile(bundle)
	if err != nil {
		return nil, fmt.Errorf("AWS_CA_BUNDLE cannot be used: %w", err)
	}
	trusted, err := x509.SystemCertPool()
	if err != nil {
		trusted = x509.NewCertPool()
	}
	if !trusted.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("AWS_CA_BUNDLE cannot be used: there is no certificate in %s; name a file of certificates in PEM", bundle)
	}
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	transport.TLSClientConfig.RootCAs = trusted
	return transport, nil
}
