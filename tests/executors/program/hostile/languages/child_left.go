// status: runtime_error
package main

import (
	"fmt"
	"os/exec"
)

func main() {
	fmt.Println(7)
	exec.Command("sleep", "9").Start()
}
