// status: ok
package main

import "fmt"

func main() {
	go func() {
		for {
		}
	}()
	fmt.Println(7)
}
