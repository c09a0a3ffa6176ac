// status: wrong_answer
package main

import "fmt"

func init() { fmt.Println(8) }

func main() { fmt.Println(7) }
