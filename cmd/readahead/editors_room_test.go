package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// homeOf is the folder of a room that is HOME to every program started there,
// which is how they are found again.
const homeOf = "home"

// A room is a folder for an editor, its server and what they start. It goes when
// they have gone: an editor that was told to end still writes down what it knows,
// and so does the server, each after the test.
func room(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "readahead-editor-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(patience); ; time.Sleep(glance) {
			still := residents(dir)
			if len(still) == 0 {
				break
			}
			if time.Now().After(end) {
				for pid, name := range still {
					t.Errorf("still runs %v after its editor was ended: %s (process %d)", patience, name, pid)
					_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself just now
				}
				break
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// residents are the processes whose home is in the room, with what they run. It
// finds none where there is no /proc.
func residents(dir string) map[int]string {
	home := []byte("HOME=" + filepath.Join(dir, homeOf) + "\x00")
	found := map[int]string{}
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, path := range paths {
		environment, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, environment...), append([]byte{0}, home...)) {
			continue // another's, or one that has ended
		}
		process := filepath.Dir(path)
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil {
			arguments, _ := os.ReadFile(filepath.Join(process, "cmdline")) // it may end meanwhile
			found[pid] = string(bytes.ReplaceAll(arguments, []byte{0}, []byte(" ")))
		}
	}
	return found
}
