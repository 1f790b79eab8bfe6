package lsp

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A repository's .readahead.toml says what may not be read, so it must hold from
// the moment it is written. Two things notice that: the editor, where it watches
// files, and a look at the handful of files every configPoll, since many editors
// do not, and none watches the user's own.

// workspaceFile is the name of a repository's own configuration.
const workspaceFile = ".readahead.toml"

// configPoll is how long a changed file may go unnoticed: a few calls of stat are
// too cheap to measure, and nobody looks for the effect sooner.
const configPoll = 2 * time.Second

// ConfigFiles are the files that LoadConfig reads, there or not.
func ConfigFiles(userFile string, folders []string) (paths []string) {
	if userFile == "" {
		userFile = defaultUserFile()
	}
	if userFile != "" {
		paths = append(paths, userFile)
	}
	for _, dir := range folders {
		paths = append(paths, filepath.Join(dir, workspaceFile))
	}
	return paths
}

// A configured is what the last configuration was made of. The queue of jobs
// writes it, one at a time; whoever follows the files reads it.
type configured struct {
	folders []string
	files   map[string]fs.FileInfo // nil for what is not there
}

// looked is how files are on disk now.
func looked(paths []string) map[string]fs.FileInfo {
	found := map[string]fs.FileInfo{}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			info = nil
		}
		found[p] = info
	}
	return found
}

// sameFile reports whether a file is as it was, as far as its metadata say.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// followConfig applies the configuration again whenever a file of it has changed
// on disk, until ctx ends.
func (s *Server) followConfig(ctx context.Context) {
	tick := time.NewTicker(configPoll)
	defer tick.Stop()
	var queued map[string]fs.FileInfo // a job is under way for the files as they are here
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c := s.configured.Load()
		if c == nil {
			continue // the first configuration is yet to come
		}
		now := looked(slices.Collect(maps.Keys(c.files)))
		if maps.EqualFunc(now, c.files, sameFile) || maps.EqualFunc(now, queued, sameFile) {
			continue
		}
		queued = now
		s.jobs.add(s.reconfigure)
	}
}

// reconfigure is a job: the configuration of the folders that the last one was
// for, made anew.
func (s *Server) reconfigure(ctx context.Context) {
	if c := s.configured.Load(); c != nil {
		s.configure(ctx, c.folders)
	}
}
