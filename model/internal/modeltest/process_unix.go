//go:build unix

package modeltest

import (
	"bytes"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup puts the server into a process group of its own, so that what it
// starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// children are the processes that pid has started and that still run.
func children(pid int) ([]int, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, err
	}
	var found []int
	for line := range bytes.Lines(out) {
		f := bytes.Fields(line)
		if len(f) == 2 && string(f[1]) == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(string(f[0])); err == nil {
				found = append(found, child)
			}
		}
	}
	return found, nil
}
