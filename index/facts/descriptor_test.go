package facts

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDescriptorsAreWrittenAsSCIPWritesThem(t *testing.T) {
	for _, c := range []struct {
		want string
		ds   []Descriptor
	}{
		{"Cart#Add().", []Descriptor{{Name: "Cart", Suffix: TypeSuffix}, {Name: "Add", Suffix: MethodSuffix}}},
		{"Cart#items.", []Descriptor{{Name: "Cart", Suffix: TypeSuffix}, {Name: "items", Suffix: TermSuffix}}},
		{"`cart.go`/", []Descriptor{{Name: "cart.go", Suffix: NamespaceSuffix}}},
		{"put(`String,int`).", []Descriptor{{Name: "put", Suffix: MethodSuffix, Disambiguator: "String,int"}}},
		{"init(+1).", []Descriptor{{Name: "init", Suffix: MethodSuffix, Disambiguator: "+1"}}},
		{"cart/impl#[Cart][Display]fmt().", []Descriptor{
			{Name: "cart", Suffix: NamespaceSuffix}, {Name: "impl", Suffix: TypeSuffix}, {Name: "Cart", Suffix: TypeParameterSuffix},
			{Name: "Display", Suffix: TypeParameterSuffix}, {Name: "fmt", Suffix: MethodSuffix},
		}},
		{"f().(x)", []Descriptor{{Name: "f", Suffix: MethodSuffix}, {Name: "x", Suffix: ParameterSuffix}}},
		{"vec!", []Descriptor{{Name: "vec", Suffix: MacroSuffix}}},
		{"a:", []Descriptor{{Name: "a", Suffix: MetaSuffix}}},
		{"`größe`.", []Descriptor{{Name: "größe", Suffix: TermSuffix}}},
		{"`a``b`#", []Descriptor{{Name: "a`b", Suffix: TypeSuffix}}},
	} {
		if got := FormatDescriptors(c.ds...); got != c.want {
			t.Errorf("%v is written %s, want %s", c.ds, got, c.want)
		}
		got, err := ParseDescriptors(c.want)
		if err != nil || !slices.Equal(got, c.ds) {
			t.Errorf("%s is read as %v, %v, want %v", c.want, got, err, c.ds)
		}
	}
}

func TestWhatIsNoDescriptorIsRefused(t *testing.T) {
	for _, s := range []string{"Cart", "#", "Cart#Add()", "Cart#Add(.", "`open", "``#", "[T", "[]", "(x", "a b.", "é.", "f(`).", "f(,)."} {
		if ds, err := ParseDescriptors(s); err == nil {
			t.Errorf("%q is read as %v", s, ds)
		}
	}
}

func TestSecondOfANameGetsAnOrdinal(t *testing.T) {
	f := Extract(Python, "p", "a.py", []byte("class A: x = 1\nclass A:\n  def f(self): pass\n  def f(self): pass\nclass A: pass\n"))
	var got []string
	for _, o := range f.Objects[1:] {
		got = append(got, o.Descriptors)
	}
	want := []string{"A#", "A#x.", "A+1#", "A+1#f().", "A+1#f(+1).", "A+2#"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzDescriptors writes what it reads: any accepted text comes back the same
// after one round, and any name survives being written.
func FuzzDescriptors(f *testing.F) {
	for _, s := range []string{"Cart#Add().", "`a b`/", "f(+1).", "[T](x)", "`a``b`#", "m(`String,int`)."} {
		f.Add(s, "name", uint8(3))
	}
	f.Fuzz(func(t *testing.T, s, name string, suffix uint8) {
		if ds, err := ParseDescriptors(s); err == nil {
			written := FormatDescriptors(ds...)
			again, err := ParseDescriptors(written)
			if err != nil || !slices.Equal(again, ds) || FormatDescriptors(again...) != written {
				t.Errorf("%q is read as %v, written %q, read again as %v, %v", s, ds, written, again, err)
			}
		}
		if name == "" {
			return
		}
		d := Descriptor{Name: name, Suffix: Suffix(suffix) % 8}
		if d.Suffix == MethodSuffix {
			d.Disambiguator = s
		}
		ds, err := ParseDescriptors(d.String())
		if err != nil || len(ds) != 1 || ds[0] != d {
			t.Errorf("%+v is written %q and read as %v, %v", d, d.String(), ds, err)
		}
	})
}
