package index

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"readahead/index/regular"
)

// FuzzCacheFile is a cache file with some bytes of a good one changed, once as it
// is and once with its checksum and length set right, as only somebody who means it
// would: it is read, or it is as good as none.
func FuzzCacheFile(f *testing.F) {
	root, cache := unpack(f, "shop.txtar"), f.TempDir()
	built(f, Options{Roots: []string{root}, CacheDir: cache}).Close()
	all, err := filepath.Glob(filepath.Join(cache, "*.index"))
	if err != nil || len(all) != 1 {
		f.Fatal(all, err)
	}
	good, err := regular.Read(all[0], 1<<30)
	if err != nil {
		f.Fatal(err)
	}
	size := int(unsafe.Sizeof(cacheHeader{}))
	f.Add(uint32(0), []byte("x"), uint32(0))
	f.Add(uint32(size), []byte("\xff\xff\xff\xff\xff\xff\xff\x7f"), uint32(0))
	f.Add(uint32(size+100), []byte{}, uint32(1000))
	f.Fuzz(func(t *testing.T, at uint32, with []byte, cut uint32) {
		data := slices.Clone(good[:len(good)-int(cut)%len(good)])
		if len(data) > size {
			copy(data[size+int(at)%(len(data)-size):], with)
			body := data[size:]
			fixed := slices.Clone(data)
			binary.NativeEndian.PutUint64(fixed[24:], uint64(len(body)))
			binary.NativeEndian.PutUint64(fixed[32:], xxhash.Sum64(body))
			opens(t, all[0], root, cache, fixed)
		}
		opens(t, all[0], root, cache, data)
	})
}

func opens(t *testing.T, path, root, cache string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ix, err := Open(t.Context(), Options{Roots: []string{root}, CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	ix.Close()
}
