package main

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheEndOfServeWaitsForShortWorkOnly(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for _, tt := range []struct{ work, want time.Duration }{
		{10 * time.Millisecond, 10 * time.Millisecond},
		{time.Minute, closing},
	} {
		synctest.Test(t, func(*testing.T) {
			start := time.Now()
			closeSoon(func() error { time.Sleep(tt.work); return nil }, log)
			if took := time.Since(start); took != tt.want {
				t.Errorf("with %v of work left it took %v, want %v", tt.work, took, tt.want)
			}
			time.Sleep(tt.work) // let it end
		})
	}
}
