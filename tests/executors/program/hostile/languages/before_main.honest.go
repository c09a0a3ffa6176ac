// status: ok
package main

import "fmt"

var table [3]int

func init() { table[1] = 7 }

func main() { fmt.Println(table[1]) }
