package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// From a file that imports a type, structural retrieval reaches the members of
// what stands before the cursor, in every language.
func TestNamesAreFollowedAcrossFilesInEveryLanguage(t *testing.T) {
	root := unpack(t, "polyglot.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	for _, c := range []struct {
		about        string
		file, cursor string // the cursor stands behind this text; what follows is hidden
		want         SymbolID
	}{
		{"TypeScript: an imported class has its methods, seen from TSX",
			"ts/src/view.tsx", "const sum = cart.", "ts @shop/web/src/cart Cart#total()."},
		{"a method's result, from the index file of a folder",
			"ts/src/view.tsx", "console.log(sum.", "ts @shop/web/src/money/index Money#format()."},
		{"an element of a list has the type of the list's elements",
			"ts/src/view.tsx", "console.log(it.", "ts @shop/web/src/cart Item#"},
		{"so has what a list hands to a function",
			"ts/src/view.tsx", "    x.", "ts @shop/web/src/cart Item#"},
		{"a re-export under another name is what it was",
			"ts/src/view.tsx", "basket.", "ts @shop/web/src/cart Cart#add()."},
		{"a default export",
			"ts/src/view.tsx", "made.", "ts @shop/web/src/cart Cart#add()."},
		{"a field's initialiser says its type",
			"ts/src/view.tsx", "made.owner.", "ts @shop/web/src/cart Owner#greet()."},
		{"an object's functions are its members",
			"ts/src/view.tsx", "helpers.", "ts @shop/web/src/cart helpers.round()."},
		{"all of a module, through export *",
			"ts/src/view.tsx", "shop.", "ts @shop/web/src/money/index Money#"},
		{"a method that returns this",
			"ts/src/view.tsx", "cart.add(item).", "ts @shop/web/src/cart Cart#total()."},

		{"JavaScript: a class out of require, and what its method makes",
			"js/main.js", "store.", "js js/lib/store Store#open()."},
		{"a required module's classes",
			"js/main.js", "lib.", "js js/lib/store Handle#"},

		{"Java: a field's class from a package imported whole",
			"java/src/com/shop/App.java", "var sum = cart.", "java com.shop.cart Cart#total()."},
		{"a result's class from a package that is not imported here",
			"java/src/com/shop/App.java", "sum.", "java com.shop.money Money#format()."},
		{"an inherited method",
			"java/src/com/shop/App.java", "cart.au", "java com.shop.cart Base#audit(String)."},
		{"a static import",
			"java/src/com/shop/App.java", "zero().", "java com.shop.money Money#plus(Money)."},
		{"a class by its full name",
			"java/src/com/shop/App.java", "com.shop.money.Money.NONE.", "java com.shop.money Money#plus(Money)."},
		{"a field used without this, and its elements in the same package",
			"java/src/com/shop/cart/Cart.java", "(Item it : items) { it.", "java com.shop.cart Item#price()."},
		{"a call on such a field",
			"java/src/com/shop/cart/Cart.java", "items.get(0).", "java com.shop.cart Item#price()."},

		{"Rust: a re-export of the crate, and Self",
			"rs/src/main.rs", "let sum = cart.", "rs shop_core::cart impl#[Cart]total()."},
		{"a result from another module",
			"rs/src/main.rs", "sum.", "rs shop_core::money impl#[Money]plus()."},
		{"a trait's method",
			"rs/src/main.rs", "sum.f", "rs shop_core::money impl#[Money][Format]format()."},
		{"a path through an imported module",
			"rs/src/main.rs", "money::Money::", "rs shop_core::money impl#[Money]zero()."},
		{"a path from the crate's root",
			"rs/src/main.rs", "crate::cart::Cart::", "rs shop_core::cart impl#[Cart]new()."},
		{"elements behind iter()",
			"rs/src/cart.rs", "it.", "rs shop_core::cart Item#"},

		{"C: a struct's fields through a typedef in a header",
			"c/src/main.c", "cart->", "c . cart#"},
		{"a field's type",
			"c/src/main.c", "cart->lines->", "c . item#"},
		{"a function that is declared in a header and defined elsewhere",
			"c/src/main.c", "cart_to", "c . cart_total()."},

		{"C++: a class of a namespace through a header",
			"cpp/main.cc", "auto sum = cart.", "cpp . shop/Cart#"},
		{"a result whose class is in a header that the header includes",
			"cpp/main.cc", "sum.", "cpp . shop/Money#Amount()."},
		{"a field used in a method that is defined outside its class",
			"cpp/cart.cc", "it.price.", "cpp . shop/Money#Amount()."},

		{"C#: a field's class through using",
			"cs/App.cs", "var sum = cart.", "cs Shop.Carts Cart#Total()."},
		{"a method of a partial class's other part",
			"cs/App.cs", "cart.Cl", "cs Shop.Carts Cart#Clear()."},
		{"a result's class from a namespace that is not used here",
			"cs/App.cs", "sum.", "cs Shop.Moneys Money#Format()."},
		{"a namespace beside this one",
			"cs/App.cs", "m.", "cs Shop.Moneys Money#Format()."},
		{"an element's property",
			"cs/Cart.cs", "it.Price.", "cs Shop.Moneys Money#Format()."},

		{"Ruby: what new makes",
			"rb/app.rb", "cart.", "rb . Shop#Cart#total()."},
		{"an instance variable, and a constant of the module around",
			"rb/lib/shop/cart.rb", "@money.", "rb . Shop#Money#format()."},
		{"an inherited method that is called bare",
			"rb/lib/shop/cart.rb", "round_", "rb . Shop#Base#round_up()."},

		{"PHP: a parameter's class",
			"php/app.php", "$sum = $cart->", `php Shop\Carts Cart#total().`},
		{"a result's class under an alias",
			"php/app.php", "$sum->", `php Shop\Money Price#format().`},
		{"a static method that returns static",
			"php/app.php", "$made->", `php Shop\Carts Cart#total().`},
		{"a class by its full name",
			"php/app.php", `\Shop\Carts\Cart::`, `php Shop\Carts Cart#create().`},
		{"a promoted parameter is a field",
			"php/src/Cart.php", "$this->amount->", `php Shop\Money Price#format().`},
		{"a trait's method",
			"php/src/Cart.php", "$this->lo", `php Shop\Carts Logs#log().`},
	} {
		t.Run(c.about, func(t *testing.T) {
			views := s.Retrieve(at(t, root, c.file, c.cursor)).Structural
			if ids := objectsOf(views); !slices.Contains(ids[:min(len(ids), 5)], c.want) {
				t.Errorf("want %s among the first 5; got\n%s", c.want, show(views[:min(len(views), 8)]))
			}
		})
	}
}

// Files that import a dozen packages as a whole, none of which the workspace has or
// all of which import each other, ask each of them once for a name that nobody
// declares: going around in depth would take the twelfth power of it.
func TestANameThatNoImportBringsInIsLookedForOnce(t *testing.T) {
	const imports = 12
	for _, lang := range []struct{ about, file, first, elsewhere, among string }{
		{"C#, namespaces that are not here", "m%d.cs", "namespace Here.M%d;", "using System.Part%d;", "using Here.M%d;"},
		{"Java, packages that are not here", "here/m%d/M.java", "package here.m%d;", "import java.part%d.*;", "import here.m%d.*;"},
		{"Rust", "src/m%d.rs", "pub fn f%d() {}", "use part%d::*;", "use crate::m%d::*;"},
		{"TypeScript", "m%d.ts", "export const c%d = 1;", `export * from "./part%d";`, `export * from "./m%d";`},
		{"Python", "m%d.py", "c%d = 1", "from part%d import *", "from m%d import *"},
		{"C++", "m%d.cc", "int c%d;", `#include "part%d.h"`, `#include "m%d.cc"`},
		{"PHP", "m%d.php", `<?php namespace Here\M%d;`, `use Part%d\All;`, `use Here\M%d\All;`},
	} {
		for name, line := range map[string]string{"unknown": lang.elsewhere, "of each other": lang.among} {
			t.Run(lang.about+", "+name, func(t *testing.T) {
				root, path := t.TempDir(), ""
				for i := range imports {
					text := fmt.Sprintf(lang.first, i) + "\n"
					for j := range imports {
						text += fmt.Sprintf(line, j) + "\n"
					}
					path = filepath.Join(root, filepath.FromSlash(fmt.Sprintf(lang.file, i)))
					write(t, path, text+"\nunknown.member.of(nobody)\n")
				}
				write(t, filepath.Join(root, "Cargo.toml"), "[package]\nname = \"here\"\n")
				src, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				s := built(t, Options{Roots: []string{root}}).Snapshot()
				c := s.prepare(Query{Path: path, Src: src, Offset: len(src)}).collect()
				defer c.release()
				steps := c.r.steps
				if steps == 0 || steps > 20*imports*imports {
					t.Errorf("%d steps for %d files of %d imports", steps, imports, imports)
				}
			})
		}
	}
}
