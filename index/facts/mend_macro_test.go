package facts

import (
	"regexp"
	"strings"
	"testing"
)

// erased marks what is to go from a text: ‹this›.
var erased = regexp.MustCompile(`‹[^›]*›`)

func TestMacrosGoFromHeads(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"between class and its name", "class ‹JSON_API› Value {\n"},
		{"and that of a base", "class ‹API› Value final : public Base\n{\n"},
		{"but not the name of a struct that is used", "struct FILE_INFO info;\nenum KIND kind : 8;\nstruct STAT st = {0};\n"},
		{"in front of a type", "‹LZ4LIB_API› int LZ4_versionNumber (void);\n"},
		{"and of another one", "‹XXH_PUBLIC_API› XXH_errorcode XXH32_update (int n);\n"},
		{"behind a type", "int ‹CJSON_CDECL› main(void)\n"},
		{"and behind a pointer", "void * ‹UTIL_API› grow(int n);\n"},
		{"of two in capitals the one with a line below", "‹LZ4_FORCE_INLINE› U32 LZ4_hash(U32 n);\nBOOL ‹CALLBACK› handle(HWND w);\n"},
		{"but not the type itself", "HANDLE open_it(int n);\nstatic const U32 LIMIT = 3;\nUINT32 FLAGS[] = {1};\n"},
		{"in front of a template", "‹FMT_EXPORT› template <typename T> ‹FMT_INLINE› auto f(T x) -> int;\n"},
		{"in front of using and namespace", "‹FMT_EXPORT› using view = basic_view<char>;\n"},
		{"in front of a constructor", "class Arena {\n  ‹CONSTEXPR› Arena(int n) : n_(n) {}\n};\n"},
		{"in front of a destructor", "‹CONSTEXPR20› ~Arena() {}\n"},
		{"alone in a line", "#include \"a.h\"\n‹FMT_BEGIN_NAMESPACE›\n‹FMT_BEGIN_EXPORT›\n\nenum class color { red };\n"},
		{"but not where it is a value", "enum {\n  FIRST,\n  LAST\n};\nint x = FLAG_A |\n  FLAG_B;\n"},
		{"nor where it is the type of the next line", "HANDLE\nopen_it(int n)\n{\n}\n"},
		{"on the line of a type", "‹LZ4_FORCE_INLINE› int\nLZ4_decompress(int n)\n{\n}\n"},
		{"around a type", "‹CJSON_PUBLIC(›char *‹)› cJSON_Print(const cJSON *item);\n"},
		{"with a message", "class V {\n  ‹DEPRECATED(\"Use g(); instead.\")›\n  void f();\n};\n"},
		{"with a message in front of another", "‹LZ4_DEPRECATED(\"use g()\")› ‹LZ4LIB_API› int LZ4_f (int n);\n"},
		{"behind the parameters", "int init(table_t *t) ‹ATTRS((warn_unused_result))›;\nvoid f() ‹NOEXCEPT› {\n"},
		{"in front of a pointer to a function", "void *(‹CDECL› *allocate)(size_t n);\n"},
		{"but not in statements", "  return FOO(x);\n  if (x) FAIL;\n  CHECK(x) ;\n  FOREACH(x, list)\n    use(x);\n"},
		{"a comment in a definition of several lines", "#define F(x) \\\n  g(x); ‹/* why */› \\\n  h(x)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := strings.NewReplacer("‹", "", "›", "").Replace(c.text)
			want := erased.ReplaceAllStringFunc(c.text, func(s string) string {
				return strings.Repeat(" ", len(s)-len("‹›"))
			})
			if got := string(eraseMacros([]byte(src))); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestAHeaderInAConditionIsANumber(t *testing.T) {
	got := string(eraseMacros([]byte("#if __has_include(<ranges>)\n#endif\n")))
	if want := "#if __has_include(0       )\n#endif\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBranchesWhoseBracesDoNotMatchGo(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"each that matches stays", "#if A\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n"},
		{"of two that open the same block the first stays", "#if A\nif (x) {\n#else\n‹if (y) {›\n#endif\n}\n"},
		{"what matches stays beside what does not", "#if A\n‹int f() {›\n#else\nint f();\n#endif\n"},
		{"two halves of one block both go", "#if A\n‹try {›\n#endif\nwork();\n#if A\n‹} finally { f(); }›\n#endif\n"},
		{"the linkage of C", "#ifdef __cplusplus\n‹extern \"C\" {›\n#endif\nint f();\n#ifdef __cplusplus\n‹}›\n#endif\n"},
		{"an inner one counts for the outer", "#if A\n#if B\nif (x) {\n#else\n‹if (y) {›\n#endif\n}\n#endif\n"},
		{"braces in strings and comments do not count", "#if A\nf(\"{\"); // {\n/* { */ g('{');\n#endif\n"},
		{"a guard around all of it", "#ifndef H\n#define H\nstruct s { int n; };\n#endif\n"},
		{"a brace in a definition of several lines does not count", "#if A\n#define B \\\n  if (x) \\\n  {\n#endif\n"},
		{"what is open in a long branch is being typed", "#ifndef H\nvoid f() {\n" + strings.Repeat("int x;\n", 20) + "#endif\n"},
		{"an end without a beginning", "#endif\n#else\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := strings.NewReplacer("‹", "", "›", "").Replace(c.text)
			want := erased.ReplaceAllStringFunc(c.text, func(s string) string {
				return strings.Repeat(" ", len(s)-len("‹›"))
			})
			if got := string(eraseBranches([]byte(src), false)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestDirectivesGoWhereTheGrammarDoesNotKnowThem(t *testing.T) {
	got := string(eraseBranches([]byte("int P {\n#if A\n get;\n#endif\n}\n"), true))
	if want := "int P {\n     \n get;\n      \n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
