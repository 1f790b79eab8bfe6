package facts

import "testing"

func TestObjectsStandInsideTheirParents(t *testing.T) {
	for _, c := range []struct {
		name          string
		class, member Object
		wantClass     Span
		wantMember    Object
	}{
		{"as they should", Object{Span: Span{10, 50}}, Object{Span: Span{20, 30}, Ident: Span{21, 25}}, Span{10, 50},
			Object{Span: Span{20, 30}, Ident: Span{21, 25}}},
		{"a body that reaches beyond the class ends with it", Object{Span: Span{10, 50}},
			Object{Span: Span{20, 70}, Ident: Span{21, 25}, Signature: Span{20, 30}, Body: Span{30, 70}}, Span{10, 50},
			Object{Span: Span{20, 50}, Ident: Span{21, 25}, Signature: Span{20, 30}, Body: Span{30, 50}}},
		{"one that begins beyond it is none", Object{Span: Span{10, 50}},
			Object{Span: Span{20, 70}, Ident: Span{21, 25}, Signature: Span{20, 60}, Body: Span{60, 70}}, Span{10, 50},
			Object{Span: Span{20, 50}, Ident: Span{21, 25}, Signature: Span{20, 50}}},
		{"a name outside takes the class along", Object{Span: Span{10, 50}}, Object{Span: Span{60, 70}, Ident: Span{61, 65}}, Span{10, 70},
			Object{Span: Span{60, 70}, Ident: Span{61, 65}}},
	} {
		objects := []Object{{Parent: -1, Span: Span{0, 100}}, c.class, c.member}
		objects[2].Parent, c.wantMember.Parent = 1, 1
		nest(objects)
		got := objects[2]
		if objects[1].Span != c.wantClass || got.Span != c.wantMember.Span || got.Ident != c.wantMember.Ident ||
			got.Signature != c.wantMember.Signature || got.Body != c.wantMember.Body || objects[0].Span != (Span{0, 100}) {
			t.Errorf("%s: class %v, member %+v", c.name, objects[1].Span, got)
		}
	}
}
