package index

import "slices"

// A heap keeps the best of what it is offered, with the worst of them on top.
type heap[T any] struct {
	better func(a, b T) bool // a total order
	kept   []T
}

// wants reports whether x would be among the best k so far.
func (h *heap[T]) wants(x T, k int) bool { return len(h.kept) < k || h.better(x, h.kept[0]) }

func (h *heap[T]) offer(x T, k int) {
	switch {
	case len(h.kept) < k:
		h.kept = append(h.kept, x)
		h.up(len(h.kept) - 1)
	case h.wants(x, k):
		h.kept[0] = x
		h.down(0)
	}
}

// sorted are the kept ones, best first; the heap is none afterwards.
func (h *heap[T]) sorted() []T {
	slices.SortFunc(h.kept, func(a, b T) int {
		if h.better(a, b) {
			return -1
		}
		return 1
	})
	return h.kept
}

func (h *heap[T]) up(i int) {
	for i > 0 && h.better(h.kept[(i-1)/2], h.kept[i]) {
		h.kept[i], h.kept[(i-1)/2] = h.kept[(i-1)/2], h.kept[i]
		i = (i - 1) / 2
	}
}

func (h *heap[T]) down(i int) {
	for {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h.kept); c++ {
			if h.better(h.kept[worst], h.kept[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h.kept[i], h.kept[worst] = h.kept[worst], h.kept[i]
		i = worst
	}
}
