package watch

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
)

// remedy says what the system refused, what happens instead, and which command
// raises the limit.
func remedy(err error) string {
	const instead = "; looking for changed files in intervals instead"
	switch {
	case runtime.GOOS == "linux" && errors.Is(err, syscall.ENOSPC):
		return "the system's limit of watched folders is reached (fs.inotify.max_user_watches)" + instead +
			". To raise it, run: " + sysctl("fs.inotify.max_user_watches=1048576")
	case runtime.GOOS == "linux" && errors.Is(err, syscall.EMFILE):
		return "the system's limit of programs that watch folders, or of open files, is reached (fs.inotify.max_user_instances, ulimit -n)" + instead +
			". To raise it, run: " + sysctl("fs.inotify.max_user_instances=1024")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "the limit of open files is reached" + instead + ". To raise it for a shell and what it starts, run: ulimit -n 65536"
	}
	return fmt.Sprintf("the system does not report changed files (%v)%s", err, instead)
}

func sysctl(setting string) string {
	return fmt.Sprintf("echo %s | sudo tee /etc/sysctl.d/60-watch.conf && sudo sysctl --system", setting)
}
