package treesitter

/*
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A grammar as its generator wrote it, ABI 13 and 14, up to its scanner.
typedef struct {
  uint32_t version, counts[8];
  uint16_t max_alias_sequence;
  const void *tables[15];
  uint16_t keyword_capture;
  struct {
    const bool *states;
    const uint16_t *symbols;
    void *(*create)(void);
    void (*destroy)(void *);
    bool (*scan)(void *, void *, const bool *);
    unsigned (*serialize)(void *, char *);
    void (*deserialize)(void *, const char *, unsigned);
  } scanner;
  const void *primary_states;
} Language;

extern const Language *tree_sitter_ruby(void);

enum {
  ROOM = 1024, // for a scanner's state
  LITERAL = 5, // bytes of a literal in it
  HEREDOC = 4, // bytes of a heredoc before its word, whose length is the last
};

// is_ruby_state reports whether n bytes are read back as they were written.
static bool is_ruby_state(const uint8_t *state, unsigned n) {
  if (n == 0) return true;
  unsigned at = 1 + LITERAL * state[0];
  if (n > ROOM || at >= n) return false;
  for (unsigned left = state[at++]; left > 0; left--) {
    if (at + HEREDOC > n) return false;
    at += HEREDOC + state[at + HEREDOC - 1];
  }
  return at == n;
}

static unsigned (*serialize_ruby)(void *, char *);

static unsigned serialize_ruby_safely(void *scanner, char *state) {
  char room[2 * ROOM];
  unsigned n = serialize_ruby(scanner, room);
  if (!is_ruby_state((const uint8_t *)room, n)) return 0;
  memcpy(state, room, n);
  return n;
}

static Language safe_ruby;

// make_ruby_safe must be called once.
static const void *make_ruby_safe(void) {
  const Language *l = tree_sitter_ruby();
  if (l->version < 13 || l->version > 14) return l; // laid out otherwise
  safe_ruby = *l;
  serialize_ruby = l->scanner.serialize;
  safe_ruby.scanner.serialize = serialize_ruby_safely;
  return &safe_ruby;
}
*/
import "C"

import (
	"sync"
	"unsafe"
)

// safeRuby is the Ruby grammar with a scanner that survives every text.
//
// Ruby's scanner writes down the words of the heredocs that are open, each behind
// its length in one byte, and counts on reading back what it wrote. A word over 255
// bytes breaks that, which takes no more than typing
//
//	out <<"
//
// above a string: all up to the next quote is the word. It also may write one byte
// more than it has room for. So it is given more room here, and a state that can't
// be read back is not kept, as tree-sitter's scanners do with one that is too long.
var safeRuby = sync.OnceValue(func() unsafe.Pointer { return C.make_ruby_safe() })
