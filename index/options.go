package index

import (
	"fmt"
	"time"

	"readahead/index/ignore"
)

// Options say what to index.
type Options struct {
	// Roots are the workspace folders. Relative ones are made absolute.
	Roots []string
	// CacheDir is where the cache file is kept between runs; "" keeps none.
	CacheDir string
	// MaxFileSize, in bytes, keeps data files out; 0 means the default of
	// package ignore.
	MaxFileSize int64
	// Workers bounds the goroutines that read and parse; 0 means one a core that the process may use.
	Workers int
	// Ignore holds patterns in the syntax of .gitignore, relative to each root,
	// on top of what the workspace's own rule files say.
	Ignore []string
	// Notice gets a line for people if the workspace cannot be watched; nil
	// drops it. It must not block.
	Notice func(string)
}

// Progress tells how far Build is.
type Progress struct {
	Done, Total int    // files
	What        string // "listing files", "reading", "parsing", "saving"
}

// Stats say what an index holds and what it cost to bring it up to date.
type Stats struct {
	Files   int
	Lines   int
	Bytes   int64
	Objects int // module objects not counted
	Refs    int
	Windows int // lexical windows

	Reused   int           // files taken from the cache, by the last Build
	Read     int           // files read and parsed, by the last Build
	ReadSize int64         // bytes of those
	Duration time.Duration // of the last Build
	Resident int64         // bytes held in memory for the workspace, without the text cache
	// Passed is what of the folders the last Build passed over, and why.
	Passed ignore.Census
	// Cache says why the cache file was not used or not written; "" if all went
	// well or none was asked for.
	Cache string
}

// Speed is the bytes read and parsed per second in units of 10^6; 0 if nothing
// had to be read.
func (s Stats) Speed() float64 {
	if s.Duration <= 0 {
		return 0
	}
	return float64(s.ReadSize) / 1e6 / s.Duration.Seconds()
}

func (s Stats) String() string {
	return fmt.Sprintf("%d files, %d lines, %.1f MB, %d objects, %d refs; %d from the cache, %d read in %v (%.1f MB/s); %.1f MB resident",
		s.Files, s.Lines, float64(s.Bytes)/1e6, s.Objects, s.Refs, s.Reused, s.Read, s.Duration.Round(time.Millisecond), s.Speed(), float64(s.Resident)/1e6)
}
