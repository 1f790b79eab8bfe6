package facts

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
)

// ctagsKinds says which Kinds a kind of ctags is; one of a language alone has that
// in front.
var ctagsKinds = map[string][]Kind{
	"func": {Function, Method}, "function": {Function, Method}, "method": {Method, Function}, "methodSpec": {Method}, "generator": {Function, Method},
	"singletonMethod": {Method, Function}, "prototype": {Function, Method}, "getter": {Method}, "setter": {Method}, "alias": {Method, Function},
	"macro": {Function, Constant}, "accessor": {Field},
	"struct": {Type}, "interface": {Type}, "type": {Type}, "talias": {Type}, "class": {Type}, "enum": {Type}, "union": {Type}, "typedef": {Type},
	"trait": {Type}, "annotation": {Type}, "rb module": {Type}, "ts alias": {Type},
	"const": {Constant}, "constant": {Constant, Variable}, "define": {Constant}, "enumerator": {Constant}, "enumConstant": {Constant},
	"var": {Variable}, "variable": {Variable, Constant, Field}, "externvar": {Variable},
	"member": {Field, Constant}, "field": {Field, Constant}, "property": {Field}, "event": {Field}, "py member": {Method}, "php variable": {Variable, Field},
}

// sameKind reports whether a kind of ctags means what a Kind does.
func sameKind(lang Language, kind Kind, name string) bool {
	if own, ok := ctagsKinds[string(lang)+" "+name]; ok {
		return slices.Contains(own, kind)
	}
	return slices.Contains(ctagsKinds[name], kind)
}

// A class is a reason why the two sides differ.
type class struct {
	in    string // languages
	name  string
	why   string
	holds func(d disagreement) bool
}

var ctagsClasses = []class{
	{"go py js ts tsx cs php", "import",
		"What an import brings in is declared elsewhere; it is an Import here.",
		func(d disagreement) bool { return d.object == nil && d.imported() }},
	{"java cs php cpp rs", "namespace",
		"A package or namespace is no object: its text is that of all its members, whose names begin with it.",
		func(d disagreement) bool { return d.isTag("package", "namespace", "module") }},

	// Go.
	{"go", "generic type",
		"ctags does not read the members of a type with type parameters.",
		func(d disagreement) bool { return d.isObject(Field, Method) && d.parentMatches(`^(type\s+)?\w+\[`) }},
	{"go", "generic receiver",
		"ctags takes the last type argument of a receiver for its type.",
		func(d disagreement) bool {
			return d.scopes() && d.tag.ScopeKind == "unknown" && d.matches(`^func \(\w+ \*?\w+\[[\w, ]+\]\)`)
		}},
	{"go", "unnamed struct",
		"ctags does not read a field's struct that has no name.",
		func(d disagreement) bool {
			return d.isObject(Field) && d.parent().Kind == Field && strings.HasPrefix(d.parent().Type, "struct")
		}},

	// Python.
	{"py", "attribute",
		"A class has the attributes that its methods assign to through self or cls; ctags reads the class body alone.",
		func(d disagreement) bool { return d.isObject(Field) && d.matches(`\b(self|cls)\.`+d.object.Name+`\b`) }},
	{"py", "chain",
		"Of a = b = c, ctags sees a alone.",
		func(d disagreement) bool {
			return d.isObject(Variable, Field) && d.matches(`=\s*`+d.object.Name+`\s*=`)
		}},

	{"py", "annotation",
		"ctags does not read a name with a type but without a value.",
		func(d disagreement) bool {
			return d.isObject(Field, Variable) && d.matches(`^`+d.object.Name+`: [^=]*$`)
		}},
	{"py", "again",
		"What is assigned to twice is one object, where it is first.",
		func(d disagreement) bool { return d.isTag("variable") && d.earlier(d.tag.Name) }},

	// Java.
	{"java", "constant with a body",
		"ctags takes a constant of an enumeration that has a body for a method, and does not read its members.",
		func(d disagreement) bool {
			return d.isTag("method") && d.matches(`^`+d.tag.Name+`\(.*\) \{$`) ||
				d.object != nil && (d.matches(`^`+d.object.Name+`(\(.*\))? \{$`) || d.parent().Kind == Constant)
		}},

	// Rust.
	{"rs", "impl",
		"An impl block declares nothing itself; its members have its type in their names.",
		func(d disagreement) bool { return d.isTag("implementation") }},
	{"rs", "impl with where",
		"ctags loses an impl block whose head goes over lines or has a where clause, and with it the scope of its members.",
		func(d disagreement) bool { return d.scopes() && d.parentless() && d.implHead(`[^{]$`) }},
	{"rs", "impl for a type without a name",
		"Of a reference or a tuple, ctags takes the last name for the type that an impl block is of.",
		func(d disagreement) bool {
			return d.scopes() && d.tag.ScopeKind == "implementation" && d.implHead(` for [&(]`)
		}},
	{"rs", "variant's field",
		"ctags does not read the fields of an enumeration's variant.",
		func(d disagreement) bool { return d.isObject(Field) && d.parent().Kind == Constant }},
	{"rs", "word behind const",
		"ctags takes the word behind const for a constant's name: const fn, *const u8.",
		func(d disagreement) bool {
			return d.isTag("constant", "variable") && d.matches(`(\bconst |\*const |&'static )`+d.tag.Name+`\b`)
		}},
	{"rs", "closure in a constant",
		"A constant that holds a closure is a function here.",
		func(d disagreement) bool { return d.both() && d.object.Kind == Function && d.matches(`^const .* = \|`) }},

	// PHP.
	{"php", "promoted",
		"A constructor's parameter with a visibility is a property; ctags sees a parameter.",
		func(d disagreement) bool {
			return d.isObject(Field) && d.matches(`(public|protected|private|readonly)\b.*\$`+d.object.Name+`\b`)
		}},
	{"php", "keyword in a namespace",
		"ctags ends a namespace's name before a part that is a keyword: N\\Default.",
		func(d disagreement) bool {
			return d.scopes() && strings.Contains(d.file.facts.Name+`\`, `\Default\`)
		}},
	{"php", "enum",
		"ctags does not know enumerations.",
		func(d disagreement) bool { return d.inEnum() }},

	// Ruby.
	{"rb", "attribute",
		"A class has the attributes that its methods assign to; ctags does not see them.",
		func(d disagreement) bool { return d.isObject(Field) && d.matches(`@`+d.object.Name+`\b`) }},
	{"rb", "setter",
		"attr_accessor and attr_writer make one attribute here, and name= beside it or instead of it to ctags.",
		func(d disagreement) bool {
			return d.isTag("accessor") && strings.HasSuffix(d.tag.Name, "=") || d.isObject(Field) && d.matches(`^attr_writer\b`)
		}},
	{"rb", "alias with a mark",
		"ctags leaves the mark off the name in alias valid? ok?",
		func(d disagreement) bool { return d.matches(`^alias \w+[?!=]`) && (d.tag == nil || d.object == nil) }},
	{"rb", "delegate",
		"A method that a call of delegate makes is a method; ctags does not know the call.",
		func(d disagreement) bool { return d.isObject(Method) && d.matches(`:`+d.object.Name+`\b`) }},
	{"rb", "block",
		"What a block defines belongs to what it is evaluated for, which nobody knows.",
		func(d disagreement) bool { return d.object == nil && d.inBlock(`\bdo( \|.*\|)?$`) }},
	{"rb", "constant by a condition",
		"ctags does not read a constant whose value is an if.",
		func(d disagreement) bool { return d.isObject(Constant) && d.matches(`= if `) }},
	{"rb", "global",
		"A global variable is an object; ctags does not see it.",
		func(d disagreement) bool { return d.isObject(Variable) && d.matches(`\$`+d.object.Name+`\b`) }},
	{"rb", "method of one object",
		"def x.m gives a method to the object x; ctags leaves it out, if x is no constant and not self.",
		func(d disagreement) bool { return d.isObject(Method) && d.matches(`^def @+\w+\.`+d.object.Name) }},
	{"rb", "lost count",
		"ctags loses count of end, so that a scope ends too soon or too late; the layout agrees with the scope here.",
		func(d disagreement) bool { return d.scopes() && d.laidOut(`^(?:class|module) ([\w:]+)`) }},

	// C and C++.
	{"c cpp", "guard",
		"A macro that stands for nothing says nothing; include guards are such.",
		func(d disagreement) bool {
			return d.isTag("macro") && d.matches(`^#\s*define\s+`+d.tag.Name+`\s*(/[/*].*)?$`)
		}},
	{"c cpp", "typedef's name",
		"A struct without a name has the name of its typedef here, and a number to ctags.",
		func(d disagreement) bool { return d.scopes() && strings.Contains(d.tag.Scope, "__anon") }},
	{"c cpp", "declared again",
		"A function is declared once, and where it is defined if that is in the file.",
		func(d disagreement) bool { return d.isTag("prototype", "externvar", "variable") && d.declared() }},
	{"c", "macro in front of a block",
		"A macro that makes the head of a function is not that function's name.",
		func(d disagreement) bool { return d.isTag("function", "prototype") && d.matches(`^[A-Z_0-9]+\(`) }},
	{"c", "calling convention",
		"ctags takes the macro in void (CDECL *free)(void *) for the name.",
		func(d disagreement) bool {
			return (d.tag == nil || d.object == nil) && d.matches(`\([A-Z_]+ \*\w+\)\(`)
		}},
	{"c", "pragma weak",
		"A pragma declares nothing.",
		func(d disagreement) bool { return d.isTag("macro") && d.matches(`^#pragma weak `+d.tag.Name) }},
	{"cpp", "conversion",
		"A conversion has no name that a call could use.",
		func(d disagreement) bool {
			return d.isTag("function", "prototype") && d.matches(`\boperator (bool|const char\*)\(\)`)
		}},
	{"cpp", "overriding destructor",
		"ctags does not read ~T() override;",
		func(d disagreement) bool { return d.isObject(Method) && d.matches(`^~\w+\(\) override;`) }},
	{"cpp", "braces behind the equals sign",
		"ctags does not read a member with a value T{…}.",
		func(d disagreement) bool { return d.isObject(Field) && d.matches(`= \w+\{.*\};`) }},
	{"c", "tag and typedef",
		"Of typedef struct x { … } x, the struct is the object.",
		func(d disagreement) bool { return d.isTag("typedef") && d.declared() }},
	{"c cpp", "other branch",
		"Of #if and #else ctags reads one branch where both would not fit together.",
		func(d disagreement) bool { return d.tag == nil && d.otherBranch() }},
	{"c", "unnamed",
		"The members of a struct that has no name and no typedef cannot be named from elsewhere.",
		func(d disagreement) bool { return d.isTag("member") && strings.Contains(d.tag.Scope, "__anon") }},

	// C#.
	{"cs", "explicit",
		"A member that implements an interface's explicitly has its own name here, and the interface's in front to ctags.",
		func(d disagreement) bool {
			return d.object != nil && d.matches(`\bI\w+(<.*>)?\.`+d.object.Name+`\b`) || d.object == nil && d.matches(`\bI\w+(<.*>)?\.\w+`) && strings.Contains(d.tag.Name, ".")
		}},
	{"cs", "keyword as a name",
		"ctags does not know names like @class.",
		func(d disagreement) bool { return d.tag == nil && d.matches(` @\w+`) }},
	{"cs", "type with a question mark",
		"ctags does not read a method with a parameter like Guid? x.",
		func(d disagreement) bool { return d.isObject(Method) && d.matches(`\(\w+\? \w+\)`) }},
	{"cs", "operator",
		"An operator, a conversion or a finalizer has no name that a call could use.",
		func(d disagreement) bool {
			return d.isTag("method") && (d.matches(`\boperator\b`) || d.tag.Name[0] == '~')
		}},
	{"cs", "delegate",
		"A delegate is a type.",
		func(d disagreement) bool { return d.both() && d.object.Kind == Type && d.matches(`\bdelegate\b`) }},
	{"cs", "constraint",
		"ctags takes the parameter behind where for what is declared.",
		func(d disagreement) bool { return d.matches(`\bwhere \w+ ?:`) }},
	{"cs", "scope behind a constraint",
		"Having read a constraint wrong, ctags has a wrong scope for what follows; the layout agrees with the scope here.",
		func(d disagreement) bool {
			return d.scopes() && d.laidOut(`^(?:\w+ )*(?:class|struct|interface|enum) (\w+)`)
		}},

	// JavaScript and TypeScript.
	{"js tsx", "literal",
		"What is in an object literal that is passed on has no name that leads to it.",
		func(d disagreement) bool {
			name := regexp.QuoteMeta(d.name())
			return d.object == nil && (d.matches(`^['"]?`+name+`['"]?:`) || d.tag.Scope != "" && d.matches(`['"]?`+name+`['"]?\s*:|\{.*\b`+name+`\b.*\}`))
		}},
	{"js ts tsx", "attribute",
		"What a method assigns to through this is the class's; ctags has it nowhere, or in the method.",
		func(d disagreement) bool {
			return d.object != nil && d.object.Kind == Field && d.matches(`\bthis\.`+d.object.Name+`\b`) || d.isTag("property", "field", "function") && d.matches(`\bthis\.`+d.tag.Name+`\b`)
		}},
	{"js", "exports",
		"What is assigned to exports is the module's own.",
		func(d disagreement) bool { return d.matches(`^(module\.)?exports\b`) }},
	{"js", "constructor",
		"A function that new could be used on is a function.",
		func(d disagreement) bool { return d.both() && d.tag.Kind == "class" && d.object.Kind == Function }},
	{"js", "function expression",
		"The name of a function that is a value is its own; what it is assigned to has it here.",
		func(d disagreement) bool {
			return d.matches(`(=|\(|,|return) *function\b`)
		}},
	{"js", "prototype",
		"ctags takes a value with prototype in it for something else.",
		func(d disagreement) bool { return d.isObject(Variable) && d.matches(`= .*\.prototype\b`) }},
	{"js", "call on the next line",
		"ctags does not read a variable whose value goes on with a dot on the next line.",
		func(d disagreement) bool {
			return d.isObject(Variable) && strings.HasPrefix(d.file.lineAt(d.line()+1), ".")
		}},
	{"js", "somebody else's",
		"A member that is assigned to something that is no object of the file is not declared there.",
		func(d disagreement) bool { return d.isTag("property", "function") && d.matches(`^\w+(\.\w+)+ = `) }},
	{"ts tsx", "arrow",
		"What holds an arrow function is a function here.",
		func(d disagreement) bool {
			return d.both() && (d.object.Kind == Function || d.object.Kind == Method) && (d.tag.Kind == "constant" || d.tag.Kind == "property" || d.tag.Kind == "variable")
		}},
	{"js", "keyword as a name",
		"ctags does not read a method whose name is a keyword.",
		func(d disagreement) bool { return d.isObject(Method) && d.object.Name == "default" }},
	{"ts tsx", "optional or certain",
		"ctags does not read a member like a?: T or a!: T.",
		func(d disagreement) bool { return d.isObject(Field) && d.matches(`\b`+d.object.Name+`[?!]: `) }},
	{"ts", "default",
		"A function that is exported without a name is called default.",
		func(d disagreement) bool { return d.isObject(Function) && d.object.Name == "default" }},
	{"ts", "overload",
		"Each signature of an overloaded function is an object; ctags has one.",
		func(d disagreement) bool { return d.isObject(Function, Method) && d.overloaded() }},
	{"ts tsx", "head over lines",
		"ctags takes the line behind an interface's name for its place.",
		func(d disagreement) bool { return d.both() && d.object.Kind == Type && d.tag.Line == d.line()+1 }},
	{"ts tsx", "word in a type",
		"ctags takes a word of a type or a value for a name.",
		func(d disagreement) bool {
			return d.isTag("constant") && (d.tag.Name == "export" || d.text() == "") || d.isTag("constant", "property", "variable") && d.matches(`(: |\bas |keyof |[[({ ])[^=]*\b`+d.tag.Name+`\b`) && !d.matches(`^(export )?(const|let|var) `+d.tag.Name+`\b`)
		}},
	{"js ts tsx php", "closure",
		"What a closure declares is its own.",
		func(d disagreement) bool { return d.object == nil && d.inBlock(`\bfunction\b.*[({]$|=> [({]$`) }},
	{"js ts tsx", "lost place",
		"ctags has lost its place in the file: alone, it reads the same declaration as here.",
		func(d disagreement) bool { return d.tag == nil && d.readAlone() }},

	{"go py ts tsx js rs c cpp cs rb php", "local",
		"What a function declares inside itself belongs to the function.",
		func(d disagreement) bool { return d.object == nil && d.inFunction() }},
}

func (d disagreement) name() string {
	if d.object != nil {
		return d.object.Name
	}
	return d.tag.Name
}

func (d disagreement) both() bool { return d.object != nil && d.tag != nil }

// scopes reports whether an object and a tag differ in their scope alone.
func (d disagreement) scopes() bool {
	return d.both() && d.file.line(d.object) == d.tag.Line && sameKind(d.file.facts.Lang, d.object.Kind, d.tag.Kind)
}

// isTag reports whether there is only a tag, of one of some kinds.
func (d disagreement) isTag(kinds ...string) bool {
	return d.object == nil && slices.Contains(kinds, d.tag.Kind)
}

// isObject reports whether there is only an object, of one of some kinds.
func (d disagreement) isObject(kinds ...Kind) bool {
	return d.tag == nil && slices.Contains(kinds, d.object.Kind)
}

// matches reports whether the line fits a pattern.
func (d disagreement) matches(pattern string) bool {
	return regexp.MustCompile(pattern).MatchString(d.text())
}

func (d disagreement) parent() *Object { return &d.file.facts.Objects[max(0, d.object.Parent)] }

// parentMatches reports whether the line of the object that the object is declared
// in fits a pattern.
func (d disagreement) parentMatches(pattern string) bool {
	return regexp.MustCompile(pattern).MatchString(d.file.lineAt(d.file.line(d.parent())))
}

// linesOf are the first and the last line of a span.
func (f *comparedFile) linesOf(s Span) (first, last int) {
	return 1 + bytes.Count(f.src[:s.Start], []byte("\n")), 1 + bytes.Count(f.src[:s.End], []byte("\n"))
}

// inFunction reports whether the line stands in the body of a function here.
func (d disagreement) inFunction() bool {
	for i := range d.file.facts.Objects {
		o := &d.file.facts.Objects[i]
		if o.Kind != Function && o.Kind != Method || o.Body.Len() == 0 {
			continue
		}
		if first, last := d.file.linesOf(o.Body); first <= d.line() && d.line() <= last {
			return true
		}
	}
	return false
}

// imported reports whether an import binds the tag's name.
func (d disagreement) imported() bool {
	for _, im := range d.file.facts.Imports {
		if im.Local == d.tag.Name {
			return true
		}
	}
	return false
}

// parentless reports whether the tag stands at the top of its file or module.
func (d disagreement) parentless() bool { return d.tag.Scope == "" || d.tag.ScopeKind == "module" }

// implHead reports whether the line of the last impl above fits a pattern.
func (d disagreement) implHead(pattern string) bool {
	for n := d.line(); n > 0; n-- {
		if text := d.file.lineAt(n); strings.HasPrefix(text, "impl") || strings.HasPrefix(text, "unsafe impl") {
			return regexp.MustCompile(pattern).MatchString(text)
		}
	}
	return false
}

// earlier reports whether a variable of that name is declared above the line.
func (d disagreement) earlier(name string) bool {
	for i := range d.file.facts.Objects {
		if o := &d.file.facts.Objects[i]; o.Name == name && o.Kind != Module && d.file.line(o) < d.line() {
			return true
		}
	}
	return false
}

// inEnum reports whether the line stands in, or begins, an enumeration.
func (d disagreement) inEnum() bool {
	for i := range d.file.facts.Objects {
		o := &d.file.facts.Objects[i]
		if o.Kind != Type || !bytes.Contains(d.file.src[o.Signature.Start:o.Signature.End], []byte("enum ")) {
			continue
		}
		if first, last := d.file.linesOf(o.Span); first <= d.line() && d.line() <= last {
			return true
		}
	}
	return false
}

// indent is the width of the white space that a line begins with; -1 for a blank one.
func (f *comparedFile) indent(n int) int {
	line := strings.ReplaceAll(f.lines[n-1], "\t", "    ")
	if strings.TrimSpace(line) == "" {
		return -1
	}
	return len(line) - len(strings.TrimLeft(line, " "))
}

// around are the lines that the difference's stands in by the layout, the innermost
// first: each is the last above that is less indented.
func (d disagreement) around() []string {
	var lines []string
	in := d.file.indent(d.line())
	for n := d.line() - 1; n > 0 && in > 0; n-- {
		if i := d.file.indent(n); i >= 0 && i < in {
			lines = append(lines, d.file.lineAt(n))
			in = i
		}
	}
	return lines
}

// inBlock reports whether a line around the difference's fits a pattern.
func (d disagreement) inBlock(pattern string) bool {
	return slices.ContainsFunc(d.around(), regexp.MustCompile(pattern).MatchString)
}

// laidOut reports whether the object's scope is what the layout says: the names that
// a pattern finds in lines above, each less indented than the one before.
func (d disagreement) laidOut(pattern string) bool {
	var names []string
	head, in := regexp.MustCompile(pattern), d.file.indent(d.line())
	for n := d.line() - 1; n > 0 && in > 0; n-- {
		if m := head.FindStringSubmatch(d.file.lineAt(n)); m != nil && d.file.indent(n) < in {
			names, in = append([]string{strings.ReplaceAll(m[1], "::", ".")}, names...), d.file.indent(n)
		}
	}
	return strings.Join(names, ".") == d.file.scopes[d.object]
}

// declared reports whether an object of the tag's name is elsewhere in the file.
func (d disagreement) declared() bool {
	for i := range d.file.facts.Objects {
		if o := &d.file.facts.Objects[i]; o.Name == d.tag.Name && d.file.line(o) != d.tag.Line {
			return true
		}
	}
	return false
}

// otherBranch reports whether the line stands in a branch of #if that is not the
// first, or follows one that is chosen by #if 0 or the like.
func (d disagreement) otherBranch() bool {
	depth := 0
	for n := d.line() - 1; n > 0; n-- {
		switch text := strings.Join(strings.Fields(strings.TrimPrefix(d.file.lineAt(n), "#")), " "); {
		case !strings.HasPrefix(d.file.lineAt(n), "#"):
		case strings.HasPrefix(text, "endif"):
			depth++
		case strings.HasPrefix(text, "if") && depth > 0:
			depth--
		case depth == 0 && (strings.HasPrefix(text, "el") || text == "if 0"):
			return true
		}
	}
	return false
}

// readAlone reports whether ctags finds the object if nothing else is in the file
// but the head of the class or the object around it.
func (d disagreement) readAlone() bool {
	text := string(d.file.src[d.object.Span.Start:d.object.Span.End]) + ";\n"
	if d.object.Parent > 0 {
		text = "class Around {\n" + text + "\n}\n"
	}
	alone, err := os.CreateTemp("", "alone")
	if err != nil {
		return false
	}
	defer os.Remove(alone.Name())
	_, err = alone.WriteString(text)
	alone.Close()
	if err != nil {
		return false
	}
	tags, err := d.file.ctags.tags(alone.Name())
	return err == nil && slices.ContainsFunc(tags, func(g *tag) bool { return g.Name == d.object.Name })
}

// overloaded reports whether another function has the object's name.
func (d disagreement) overloaded() bool {
	for i := range d.file.facts.Objects {
		if o := &d.file.facts.Objects[i]; o != d.object && o.Name == d.object.Name && o.Kind == d.object.Kind {
			return true
		}
	}
	return false
}
