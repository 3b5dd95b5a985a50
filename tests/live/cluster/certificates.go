// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// authority signs the certificates of one cluster.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// makeCredentials writes every certificate, key and token of the cluster. The API server also needs a service name and
// the first address of the service range, by which pods would call it.
func (c *cluster) makeCredentials() error {
	if err := os.MkdirAll(c.path(pkiDir), 0o700); err != nil {
		return err
	}
	ca := &authority{}
	template := subject("berth-test-ca")
	template.IsCA = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = nil
	if err := c.sign(ca, "ca", template); err != nil {
		return err
	}
	server := subject("kube-apiserver")
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	server.IPAddresses = []net.IP{net.ParseIP(host), net.ParseIP("10.0.0.1")}
	admin := subject("admin", "system:masters")
	scheduler := subject("system:kube-scheduler")
	for name, template := range map[string]*x509.Certificate{"server": server, "admin": admin, "scheduler": scheduler} {
		if err := c.sign(ca, name, template); err != nil {
			return err
		}
	}
	if err := c.makeServiceAccountKey(); err != nil {
		return err
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return err
	}
	text := hex.EncodeToString(token)
	if err := c.writePKI("token", []byte(text)); err != nil {
		return err
	}
	return c.writePKI("tokens.csv", []byte(text+",admin,admin,system:masters\n"))
}

func subject(name string, groups ...string) *x509.Certificate {
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: name, Organization: groups},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
}

// sign writes NAME.crt and NAME.key; an authority that has no certificate yet gets this one, signed by itself.
func (c *cluster) sign(ca *authority, name string, template *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return err
	}
	itself := ca.certificate == nil
	if itself {
		ca.certificate, ca.key = template, key
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, &key.PublicKey, ca.key)
	if err != nil {
		return fmt.Errorf("cannot sign the certificate of %s: %w", name, err)
	}
	if itself {
		if ca.certificate, err = x509.ParseCertificate(signed); err != nil {
			return err
		}
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := c.writePKI(name+".crt", block("CERTIFICATE", signed)); err != nil {
		return err
	}
	return c.writePKI(name+".key", block("PRIVATE KEY", secret))
}

// makeServiceAccountKey writes the pair with which the tokens of service accounts are signed and checked.
func (c *cluster) makeServiceAccountKey() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := c.writePKI("service-account.key", block("PRIVATE KEY", secret)); err != nil {
		return err
	}
	return c.writePKI("service-account.pub", block("PUBLIC KEY", public))
}

func (c *cluster) writePKI(name string, text []byte) error {
	return os.WriteFile(c.path(pkiDir, name), text, 0o600)
}

func block(kind string, bytes []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
}
