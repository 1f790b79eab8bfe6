//go:build !unix

package modeltest

import (
	"errors"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func children(int) ([]int, error) {
	return nil, errors.New("finding the processes of a server is written for Unix only")
}
