// status: runtime_error
package main

import (
	"fmt"
	"syscall"
)

func main() {
	child, _, _ := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	if child == 0 {
		for {
			syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
		}
	}
	fmt.Println(7)
}
