package store

import (
	"cmp"
	"context"
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

func openBucket(ctx context.Context, address string) (Store, error) {
	b, err := parseBucket(address)
	if err != nil {
		return nil, err
	}
	endpoint, err := endpointFromEnv()
	if err != nil {
		return nil, err
	}
	keys, err := credentialsFromEnv()
	if err != nil {
		return nil, err
	}
	b.host, b.secure = endpoint.Host, endpoint.Scheme == "https"
	transport, err := transportFromEnv(b.secure)
	if err != nil {
		return nil, err
	}
	b.client, err = minio.NewCore(endpoint.Host, &minio.Options{
		Creds: keys, Secure: b.secure, Transport: transport,
		Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
	})
	if err != nil {
		return nil, fmt.Errorf("%s cannot be an S3 server: %w", b.host, err)
	}
	exists, err := b.client.BucketExists(ctx, b.name)
	if err == nil && !exists {
		err = minio.ErrorResponse{Code: minio.NoSuchBucket}
	}
	if err != nil {
		if err = b.wrap(err); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("the store %s cannot be opened: %w", b, err)
	}
	return checked{b}, nil
}

// parseBucket parses an address, which its errors do not repeat: there may be a secret in it.
func parseBucket(address string) (*bucket, error) {
	const form = "write s3://bucket/prefix"
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("the address of the store cannot be read; " + form)
	case u.User != nil:
		return nil, errors.New("the address of the store has credentials in it, which others could see; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and " + form)
	case u.RawQuery != "" || u.Fragment != "" || u.Port() != "":
		return nil, errors.New("the address of the store has more in it than a bucket and a prefix; " + form + ", and name the server with AWS_ENDPOINT_URL")
	}
	if err := s3utils.CheckValidBucketNameStrict(u.Host); err != nil {
		return nil, fmt.Errorf("%q is not a bucket: %w; %s", u.Host, err, form)
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

func endpointFromEnv() (*url.URL, error) {
	name := "AWS_ENDPOINT_URL_S3"
	if os.Getenv(name) == "" {
		name = "AWS_ENDPOINT_URL"
	}
	u, err := url.Parse(cmp.Or(os.Getenv(name), "https://s3.amazonaws.com"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the URL of a server; an example is https://s3.example.org:9000", name)
	}
	return u, nil
}

// credentialsFromEnv returns the credentials in the environment or the shared files. It is an
// error if they are missing or incomplete: nothing could be written.
func credentialsFromEnv() (*credentials.Credentials, error) {
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id != "" && secret != "" {
		return credentials.NewEnvAWS(), nil
	}
	if id != "" || secret != "" {
		return nil, errors.New("one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set without the other; set both")
	}
	keys := credentials.NewFileAWSCredentials("", "")
	if value, err := keys.GetWithContext(nil); err == nil && value.AccessKeyID != "" && value.SecretAccessKey != "" {
		return keys, nil
	}
	// The error of reading the files is left out: it could quote them.
	return nil, fmt.Errorf("there are no credentials for S3 in the environment, and none of the profile %q in ~/.aws/credentials; "+
		"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or check that file", cmp.Or(os.Getenv("AWS_PROFILE"), "default"))
}

// transportFromEnv returns a transport that also trusts the certificates in AWS_CA_BUNDLE.
func transportFromEnv(secure bool) (http.RoundTripper, error) {
	transport, err := minio.DefaultTransport(secure)
	bundle := os.Getenv("AWS_CA_BUNDLE")
	if err != nil || !secure || bundle == "" {
		return transport, err
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
	transport.TLSClientConfig.RootCAs = trusted
	return transport, nil
}
