package allocate_test

import (
	"fmt"
	"strings"

	"readahead/allocate"
	"readahead/index"
	"readahead/index/facts"
)

// Four views of Cart.Add and one of its helper: two positions, not five.
func ExampleAllocate() {
	add := &index.Object{
		ID: "go example.com/shop/cart Cart#Add().", Name: "Add", Kind: facts.Method, Lang: facts.Go,
		Path: "cart/cart.go", Line: 20, EndLine: 25, NameLine: 22, Calls: 14,
		Signature: "func (c *Cart) Add(it Item) error",
		Doc:       "// Add puts it into the cart.\n// It refuses what is out of stock.",
		Source: "// Add puts it into the cart.\n// It refuses what is out of stock.\n" +
			"func (c *Cart) Add(it Item) error {\n\tif err := check(it); err != nil {\n\t\treturn err\n\t}\n" +
			"\tc.items = append(c.items, it)\n\treturn nil\n}",
	}
	check := &index.Object{
		ID: "go example.com/shop/cart check().", Name: "check", Kind: facts.Function, Lang: facts.Go,
		Path: "cart/cart.go", Line: 40, EndLine: 42, NameLine: 40, Calls: 1,
		Signature: "func check(it Item) error",
		Source:    "func check(it Item) error {\n\treturn it.check()\n}",
	}
	views := []index.View{
		{Object: add, Kind: index.Signature, Path: add.Path, Line: 22, Text: add.Signature},
		{Object: add, Kind: index.Body, Path: add.Path, Line: 20, Text: add.Source},
		{Object: add, Kind: index.CallSite, Path: "main.go", Line: 9, Text: "\terr := c.Add(it)"},
		{Object: add, Kind: index.Doc, Path: add.Path, Line: 20, Text: add.Doc},
		{Object: check, Kind: index.Body, Path: check.Path, Line: 40, Text: check.Source},
	}
	words := func(s string) int { return len(strings.Fields(s)) }

	o := allocate.DefaultOptions()
	c := allocate.Allocate(allocate.Request{Views: views, Terms: []string{"items"}, Lang: facts.Go, Tokens: words}, o)
	fmt.Print(c.Text)

	o.ObjectBudget = 36
	c = allocate.Allocate(allocate.Request{Views: views[:4], Terms: []string{"items"}, Lang: facts.Go, Tokens: words}, o)
	fmt.Print("--- within 36 words an object\n" + c.Text)
	// Output:
	// // cart/cart.go: Cart.Add, called 14 times
	// // call in main.go: err := c.Add(it)
	// // Add puts it into the cart.
	// // It refuses what is out of stock.
	// func (c *Cart) Add(it Item) error {
	// 	if err := check(it); err != nil {
	// 		return err
	// 	}
	// 	c.items = append(c.items, it)
	// 	return nil
	// }
	// // cart/cart.go: check, called once
	// func check(it Item) error {
	// 	return it.check()
	// }
	// --- within 36 words an object
	// // cart/cart.go: Cart.Add, called 14 times
	// // … 2 lines
	// func (c *Cart) Add(it Item) error {
	// 	if err := check(it); err != nil {
	// 		return err
	// 	}
	// 	c.items = append(c.items, it)
	// 	return nil
	// }
}
