// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sort"
	"time"
)

// one asks once, by a connection of its own, as the kubelet does.
func one(url string, patience time.Duration, certificates []tls.Certificate) (time.Duration, error) {
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}}}
	defer client.CloseIdleConnections()
	start := time.Now()
	answer, err := client.Get(url)
	if err != nil {
		return time.Since(start), err
	}
	defer answer.Body.Close()
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d", answer.StatusCode)
	}
	return time.Since(start), err
}

// probe asks for a path again and again. It fails if an answer is missing, is not 200, or took longer than allowed.
func probe(arguments []string) error {
	flags := flag.NewFlagSet("probe", flag.ExitOnError)
	url := flags.String("url", "", "what to ask for")
	every := flags.Duration("every", time.Second, "how often")
	patience := flags.Duration("patience", time.Second, "how long an answer may take")
	seconds := flags.Int("seconds", 15, "how long to go on")
	certificate := flags.String("cert", "", "PEM, a client certificate to show")
	key := flags.String("key", "", "PEM, its key")
	_ = flags.Parse(arguments)
	var certificates []tls.Certificate
	if *certificate != "" {
		pair, err := tls.LoadX509KeyPair(*certificate, *key)
		if err != nil {
			return err
		}
		certificates = append(certificates, pair)
	}
	var took []time.Duration
	failed, last := 0, error(nil)
	tick := time.NewTicker(*every)
	for end := time.Now().Add(time.Duration(*seconds) * time.Second); time.Now().Before(end); <-tick.C {
		spent, err := one(*url, *patience, certificates)
		took = append(took, spent)
		if err != nil {
			failed, last = failed+1, err
		}
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	fmt.Printf("asked=%d failed=%d median_ms=%d slowest_ms=%d\n", len(took), failed, took[len(took)/2].Milliseconds(),
		took[len(took)-1].Milliseconds())
	if failed > 0 {
		return fmt.Errorf("%d of %d failed, the last: %w", failed, len(took), last)
	}
	return nil
}
