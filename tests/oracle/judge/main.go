// SPDX-License-Identifier: Apache-2.0

// Oracle judges the decisions of `berth simulate` by the code of kube-scheduler itself.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const usage = `usage:
  oracle gen   -seed S -n N -out DIR [-theme T]          write N random cases
  oracle judge -cluster FILE -config FILE -log FILE      compare one decision log with kube-scheduler
  oracle run   -berth PATH -seed S -n N [-keep DIR] [-cases DIR] [-plugin-dir DIR] [-theme T] [-first] [-v]
                                                         generate, simulate and judge N decisions
  oracle timelines -play PATH -plugin-dir DIR -seed S -n N [-keep DIR] [-scripts DIR] [-theme T] [-first]
                                                         play N timelines on both schedulers
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	var err error
	differences := 0
	switch os.Args[1] {
	case "gen":
		err = generateCommand(os.Args[2:])
	case "judge":
		differences, err = judgeCommand(os.Args[2:])
	case "timelines":
		err = timelinesCommand(os.Args[2:])
	case "run":
		differences, err = runCommand(os.Args[2:])
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

func generateCommand(args []string) error {
	flags := flag.NewFlagSet("gen", flag.ExitOnError)
	seed := flags.Uint64("seed", 1, "seed of the random cases")
	n := flags.Int("n", 1, "number of cases")
	flags.StringVar(&defaultsFile, "defaults", defaultsFile, "which plugins Berth has by default")
	flags.StringVar(&onlyTheme, "theme", "", "what every case is about (generate_theme.go); as a rule they take turns")
	out := flags.String("out", "", "folder to write them into")
	_ = flags.Parse(args)
	if *out == "" {
		return fmt.Errorf("gen needs -out DIR")
	}
	for i := range *n {
		c, err := newCase(*seed, i)
		if err != nil {
			return err
		}
		if err := writeCase(c, filepath.Join(*out, c.name)); err != nil {
			return err
		}
	}
	return nil
}

func judgeCommand(args []string) (int, error) {
	flags := flag.NewFlagSet("judge", flag.ExitOnError)
	cluster := flags.String("cluster", "", "cluster file")
	config := flags.String("config", "", "scheduler configuration file")
	log := flags.String("log", "", "decision log")
	verbose := flags.Bool("v", false, "print the coverage")
	_ = flags.Parse(args)
	clusterText, err := os.ReadFile(*cluster)
	if err != nil {
		return 0, err
	}
	configText, err := os.ReadFile(*config)
	if err != nil {
		return 0, err
	}
	file, err := os.Open(*log)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines, err := readLog(file)
	if err != nil {
		return 0, err
	}
	c := coverage{}
	j, err := judgeLog("", clusterText, configText, lines, c)
	if err != nil {
		return 0, err
	}
	for _, d := range j.differences {
		fmt.Println(d)
	}
	if *verbose {
		c.print(os.Stdout)
	}
	fmt.Printf("%d decisions, %d differences\n", j.decisions, len(j.differences))
	return len(j.differences), nil
}

// writeCase writes the two files of a case into a folder of its own.
func writeCase(c *testCase, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, c.clusterFile()), c.cluster, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.yaml"), c.conf, 0o644)
}
