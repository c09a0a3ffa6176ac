// status: ok
package main

import (
	"fmt"
	"os/exec"
)

func main() {
	exec.Command("true").Run()
	fmt.Println(7)
}
