package card_test

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/text/card"
)

func ExampleFromReason() {
	c := card.FromReason("[security] Blocked (formats the disk): mkfs.ext4 /dev/sda1")
	fmt.Println(c.Sentence)
	fmt.Println(c.Command)
	// Output:
	// Blocked (formats the disk)
	// mkfs.ext4 /dev/sda1
}
