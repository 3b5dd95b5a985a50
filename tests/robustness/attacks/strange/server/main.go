// SPDX-License-Identifier: Apache-2.0

// Strange makes objects that Kubernetes takes and that are strange (`strange objects DIR`), and is a server that speaks just
// enough of the API to send what a real one never would (`strange serve PORT-FILE`).
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "objects":
		err = writeObjects(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "serve":
		err = serve(os.Args[2])
	default:
		err = fmt.Errorf("usage: strange objects DIR | serve PORT-FILE")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strange:", err)
		os.Exit(2)
	}
}
