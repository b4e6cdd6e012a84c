// Hello is a program that only prints, to compare start-up with.
package main

import "os"

func main() { os.Stdout.WriteString("{}\n") }
