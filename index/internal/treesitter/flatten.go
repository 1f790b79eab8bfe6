package treesitter

/*
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct TSTree TSTree;
typedef uint32_t Bytes;

// The public interface, as far as it is needed here.
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
extern TSNode ts_tree_root_node(const TSTree *);
extern bool ts_node_has_error(TSNode);
extern bool ts_node_is_missing(TSNode);
extern uint16_t ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern uint32_t ts_node_descendant_count(TSNode);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern void ts_tree_cursor_delete(TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);

// Mirrors the Go type Node, field by field.
typedef struct {
  uint16_t kind;
  uint8_t field, flags;
  uint32_t start, end, parent, next;
} Node;

// What a Grammar says, by symbol and by field ID.
typedef struct {
  const uint16_t *kinds;
  uint32_t symbols;
  const uint8_t *fields;
} Numbers;

enum { HAS_ERROR = 1, MISSING = 2, KIND_ERROR = 1, KIND_DROP = 0xffff, SYMBOL_ERROR = 0xffff, NO_PARENT = 0xffffffff };

static uint16_t kind_of(const Numbers *g, uint16_t symbol) {
  if (symbol == SYMBOL_ERROR) return KIND_ERROR;
  return symbol < g->symbols ? g->kinds[symbol] : KIND_DROP;
}

// flatten_by_cursor goes through the public interface: some fifteen calls a
// node. The way up needs no stack, since every node that is descended into is in
// out and knows its parent.
static uint32_t flatten_by_cursor(const TSTree *t, const Numbers *g, Node *out, uint32_t cap) {
  uint32_t n = 0, parent = NO_PARENT;
  TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(t));
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&c);
    uint16_t kind = kind_of(g, ts_node_symbol(node));
    if (kind != KIND_DROP && n < cap) {
      Node *r = &out[n];
      r->kind = kind;
      r->field = parent == NO_PARENT ? 0 : g->fields[ts_tree_cursor_current_field_id(&c)];
      r->flags = (ts_node_has_error(node) ? HAS_ERROR : 0) | (ts_node_is_missing(node) ? MISSING : 0);
      r->start = ts_node_start_byte(node);
      r->end = ts_node_end_byte(node);
      r->parent = parent;
      r->next = ++n;
      if (ts_tree_cursor_goto_first_child(&c)) {
        parent = n - 1;
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&c)) {
      if (parent == NO_PARENT) {
        ts_tree_cursor_delete(&c);
        return n;
      }
      ts_tree_cursor_goto_parent(&c);
      out[parent].next = n;
      parent = out[parent].parent;
    }
  }
}

static uint32_t tree_size(const TSTree *t) { return ts_node_descendant_count(ts_tree_root_node(t)); }

// From here on, the runtime's own representation of a tree on 64-bit
// little-endian machines.
#if UINTPTR_MAX == UINT64_MAX && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAS_LAYOUT 1

typedef struct { Bytes bytes; uint32_t row, column; } Extent;

typedef struct {
  uint32_t references;
  Extent padding, size;
  uint32_t lookahead, error_cost, children;
  uint16_t symbol, state;
  bool visible : 1, named : 1, extra : 1, fragile_left : 1, fragile_right : 1, changed : 1, external : 1, external_change : 1;
  bool column : 1, missing : 1, keyword : 1;
  union {
    struct {
      uint32_t visible_children, named_children, visible_descendants;
      int32_t precedence;
      uint16_t repeat_depth, production;
    };
    void *align;
  };
} Heap;

// A subtree is a pointer, or, with the lowest bit set, a small leaf in its place.
typedef union {
  struct {
    bool is_inline : 1, visible : 1, named : 1, extra : 1, changed : 1, missing : 1, keyword : 1;
    uint8_t symbol;
    uint16_t state;
    uint8_t padding_columns, padding_rows_lookahead, padding_bytes, size_bytes;
  } leaf;
  const Heap *heap;
} Subtree;

typedef struct { uint16_t index, length; } FieldSlice;
typedef struct { uint16_t field; uint8_t child; bool inherited; } FieldEntry;

// The beginning of a generated grammar, ABI 13 and 14.
typedef struct {
  uint32_t version, symbols, aliases, tokens, external_tokens, states, large_states, productions, fields;
  uint16_t max_alias_sequence;
  const void *parse_table, *small_parse_table, *small_parse_table_map, *parse_actions, *symbol_names, *field_names;
  const FieldSlice *field_slices;
  const FieldEntry *field_entries;
  const void *symbol_metadata;
  const uint16_t *public_symbols;
  const void *alias_map;
  const uint16_t *alias_sequences;
} Language;

// The beginning of a tree.
typedef struct { Subtree root; const Language *language; } Tree;

// A Frame is a node whose children are being visited.
typedef struct {
  const Subtree *children;
  const uint16_t *aliases;      // by structural child; NULL for none
  const FieldEntry *map, *end;  // the node's fields
  uint32_t left, structural;    // children to visit, and the number of the next that is no extra
  Bytes at;                     // where the next child's padding begins
  uint32_t owner;               // in out: the node, or the innermost visible one around it
  uint16_t field;               // of a hidden node, which hands it on
  bool hidden, first;           // the first child's padding is the node's own
} Frame;

static void enter(Frame *f, const Language *l, const Heap *h, Bytes at, uint32_t owner, uint16_t field, bool hidden) {
  f->children = (const Subtree *)h - h->children;
  f->aliases = h->production ? l->alias_sequences + h->production * l->max_alias_sequence : NULL;
  f->map = f->end = NULL;
  if (l->fields) {
    FieldSlice s = l->field_slices[h->production];
    f->map = l->field_entries + s.index;
    f->end = f->map + s.length;
  }
  f->left = h->children;
  f->structural = 0;
  f->at = at;
  f->owner = owner;
  f->field = field;
  f->hidden = hidden;
  f->first = true;
}

static uint16_t field_of(const Frame *f) {
  for (const FieldEntry *e = f->map; e < f->end; e++)
    if (!e->inherited && e->child == f->structural) return e->field;
  return f->hidden ? f->field : 0;
}

// flatten_by_layout reads the tree as it lies in memory. It must write what
// flatten_by_cursor writes, at a tenth of the cost or less.
static uint32_t flatten_by_layout(const TSTree *tree, const Numbers *g, Node *out, uint32_t cap) {
  const Tree *t = (const Tree *)tree;
  const Language *l = t->language;
  uint32_t n = 0, depth = 0, room = 128;
  Frame *stack = malloc(room * sizeof(Frame));
  if (!stack) abort();
  // The root is the only child of a frame that has no node.
  stack[0] = (Frame){.children = &t->root, .left = 1, .owner = NO_PARENT, .hidden = true};
  for (;;) {
    Frame *f = &stack[depth];
    if (f->left == 0) {
      if (!f->hidden) out[f->owner].next = n;
      if (depth-- == 0) break;
      continue;
    }
    const Subtree s = *f->children++;
    const bool leaf = s.leaf.is_inline;
    f->left--;
    if (!f->first || depth == 0) f->at += leaf ? s.leaf.padding_bytes : s.heap->padding.bytes;
    f->first = false;
    const Bytes start = f->at, end = start + (leaf ? s.leaf.size_bytes : s.heap->size.bytes);
    f->at = end;
    const bool extra = leaf ? s.leaf.extra : s.heap->extra;
    uint16_t alias = 0, field = 0;
    if (!extra) {
      if (f->aliases) alias = f->aliases[f->structural];
      field = field_of(f);
      f->structural++;
    }
    const bool visible = depth == 0 || alias || (leaf ? s.leaf.visible : s.heap->visible);
    const bool inner = !leaf && s.heap->children > 0;
    uint32_t owner = f->owner;
    if (visible) {
      uint16_t symbol = alias ? alias : leaf ? s.leaf.symbol : s.heap->symbol;
      if (symbol != SYMBOL_ERROR) symbol = l->public_symbols[symbol];
      const uint16_t kind = kind_of(g, symbol);
      if (kind == KIND_DROP || n == cap) continue;
      const bool missing = leaf ? s.leaf.missing : s.heap->missing;
      owner = n++;
      out[owner] = (Node){
        .kind = kind,
        .field = depth == 0 ? 0 : g->fields[field],
        .flags = (missing || (!leaf && s.heap->error_cost) ? HAS_ERROR : 0) | (missing ? MISSING : 0),
        .start = start,
        .end = end,
        .parent = f->owner,
        .next = n,
      };
    } else if (!inner || s.heap->visible_children == 0) {
      continue;
    }
    if (!inner) continue;
    if (++depth == room) {
      stack = realloc(stack, (room *= 2) * sizeof(Frame));
      if (!stack) abort();
    }
    enter(&stack[depth], l, s.heap, start, owner, field, !visible);
  }
  free(stack);
  return n;
}
#else
#define HAS_LAYOUT 0
static uint32_t flatten_by_layout(const TSTree *t, const Numbers *g, Node *out, uint32_t cap) {
  return flatten_by_cursor(t, g, out, cap);
}
#endif

static uint32_t flatten(const TSTree *t, const uint16_t *kinds, uint32_t symbols, const uint8_t *fields,
                        Node *out, uint32_t cap, bool by_layout) {
  Numbers g = {kinds, symbols, fields};
  return by_layout ? flatten_by_layout(t, &g, out, cap) : flatten_by_cursor(t, &g, out, cap);
}
*/
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// Flatten appends the nodes of t, numbered by g, to buf[:0] and returns the
// slice. buf may be nil; passing the last result saves the allocation.
//
// Through tree-sitter's public interface a node costs a quarter of a
// microsecond, which adds up to half of the parse. So the tree is read as it
// lies in memory, after Flatten has been seen to agree with the public interface
// on a probe (see agrees); where it doesn't, the slow way is taken.
func (t *Tree) Flatten(g *Grammar, buf []Node) []Node { return t.flatten(g, buf, g.byLayout) }

func (t *Tree) flatten(g *Grammar, buf []Node, byLayout bool) []Node {
	c := (*C.TSTree)(unsafe.Pointer(t.c))
	size := int(C.tree_size(c))
	if cap(buf) < size {
		buf = make([]Node, size+size/4)
	}
	buf = buf[:cap(buf)]
	n := C.flatten(c,
		(*C.uint16_t)(unsafe.SliceData(g.kinds)), C.uint32_t(len(g.kinds)), (*C.uint8_t)(unsafe.SliceData(g.fields)),
		(*C.Node)(unsafe.Pointer(unsafe.SliceData(buf))), C.uint32_t(len(buf)), C.bool(byLayout))
	runtime.KeepAlive(t)
	return buf[:n]
}

// probe is enough of any language to give a tree with leaves of both sorts,
// hidden nodes, tokens and errors.
const probe = "import a\n\nfunc f(a, b) {\n  x = [1, \"two\", c.d(e)]; return x\n}\nclass T: pass\n/* é */ ) $"

// agrees reports whether both ways of flattening give the same nodes.
func (g *Grammar) agrees() bool {
	p, err := NewParser(g.Language)
	if err != nil {
		return false
	}
	defer p.Close()
	t, err := p.Parse([]byte(probe), nil)
	if err != nil {
		return false
	}
	defer t.Close()
	return slices.Equal(t.flatten(g, nil, true), t.flatten(g, nil, false))
}
