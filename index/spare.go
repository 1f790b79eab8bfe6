package index

// A spare keeps what one query after another works in. A sync.Pool would give it to
// the garbage collector between two keys, and most of the next query would be spent
// on making it again: some megabytes of zeros.
type spare[T any] struct {
	kept  chan *T
	fresh func() *T
}

// maxSpare is how many queries at a time find something kept: that of the editor, and
// one that is made ready behind it.
const maxSpare = 2

func newSpare[T any](fresh func() *T) spare[T] { return spare[T]{make(chan *T, maxSpare), fresh} }

func (s spare[T]) take() *T {
	select {
	case x := <-s.kept:
		return x
	default:
		return s.fresh()
	}
}

// give keeps x, which must hold on to nothing, if there is room.
func (s spare[T]) give(x *T) {
	select {
	case s.kept <- x:
	default:
	}
}
