package index

import (
	"context"

	"readahead/index/watch"
)

// Watch keeps the index up to date with the disk until ctx is done, and then
// returns nil. It looks at everything once after the watches are set, so that
// nothing is missed between Build and Watch.
func (ix *Index) Watch(ctx context.Context) error {
	o := watch.DefaultOptions()
	if ix.opts.Notice != nil {
		o.Notice = ix.opts.Notice
	}
	w := watch.Start(ctx, o)
	defer w.Close()
	for _, r := range ix.roots {
		if err := w.Add(ctx, r.path, r.rules); err != nil {
			return ended(ctx, err)
		}
	}
	if err := ix.Sweep(ctx); err != nil {
		return ended(ctx, err)
	}
	for batch := range w.Batches() {
		if !batch.Sweep {
			ix.FilesChanged(ctx, batch.Paths)
		} else if err := ix.Sweep(ctx); err != nil {
			return ended(ctx, err)
		}
	}
	return nil
}

// ended is err, unless it only says that the caller has had enough.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
