//go:build linux || darwin

// The grammars' hand-written scanners, and tree-sitter itself, assert what they
// take for granted about a text, and some texts break it: an assertion that fails
// ends the process, and with it the editor's session. So here is what assert calls
// in place of the C library's own, since a program's definition goes before that of
// a shared library: inside parse_guarded it gives up that parse.
//
// On other systems (Windows) a failed assertion still ends the process.

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct TSTree TSTree;
typedef struct TSParser TSParser;
extern TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);

typedef struct {
  jmp_buf back;
  const char *file, *expression;
  unsigned line;
} Guard;

static __thread Guard *guard; // of the parse that this thread is in

static _Noreturn void failed(const char *expression, const char *file, unsigned line) {
  Guard *g = guard;
  if (!g) {
    fprintf(stderr, "%s:%u: assertion failed: %s\n", file, line, expression);
    abort();
  }
  g->expression = expression;
  g->file = file;
  g->line = line;
  longjmp(g->back, 1);
}

#ifdef __APPLE__
_Noreturn void __assert_rtn(const char *function, const char *file, int line, const char *expression) {
  (void)function;
  failed(expression, file, (unsigned)line);
}
#else
_Noreturn void __assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  (void)function;
  failed(expression, file, line);
}
#endif

// parse_guarded is ts_parser_parse_string, which sets *file, *line and *expression
// where an assertion failed. The parser is then in the middle of something, and must
// be used for nothing, not even be deleted.
TSTree *parse_guarded(TSParser *p, const TSTree *old, const char *src, uint32_t n,
                      const char **file, unsigned *line, const char **expression) {
  Guard g = {0};
  guard = &g;
  if (setjmp(g.back)) {
    guard = NULL;
    *file = g.file;
    *line = g.line;
    *expression = g.expression;
    return NULL;
  }
  TSTree *t = ts_parser_parse_string(p, old, src, n);
  guard = NULL;
  return t;
}
