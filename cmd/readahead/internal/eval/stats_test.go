package eval

import (
	"math"
	"testing"
)

func TestMcNemarIsTheSignTest(t *testing.T) {
	for _, tt := range []struct {
		wins, losses int
		p            float64
	}{
		{0, 0, 1},
		{3, 3, 1},
		{1, 0, 1},      // one coin
		{5, 0, 0.0625}, // 2/32
		{0, 5, 0.0625},
		{9, 1, 22.0 / 1024}, // 2·(1+10)/2^10
		{1000, 1100, 0.0308},
	} {
		if p := mcNemar(tt.wins, tt.losses); math.Abs(p-tt.p) > 5e-4 {
			t.Errorf("%d wins, %d losses: p = %v; want %v", tt.wins, tt.losses, p, tt.p)
		}
	}
}

func TestTheBootstrapIntervalIsThatOfTheMean(t *testing.T) {
	var xs []float64
	for i := range 400 {
		xs = append(xs, float64(100*(i%2))) // mean 50, deviation 50: standard error 2.5
	}
	got := bootstrap(xs)
	if math.Abs(got.Low-45.1) > 0.7 || math.Abs(got.High-54.9) > 0.7 {
		t.Errorf("got %+v; want about 45.1 to 54.9", got)
	}
	if again := bootstrap(xs); again != got {
		t.Errorf("the same values gave %+v and %+v", got, again)
	}
	if got := bootstrap([]float64{7, 7, 7}); got != (Interval{7, 7}) {
		t.Errorf("of equal values: %+v", got)
	}
}

func TestAComparisonIsPaired(t *testing.T) {
	a := []bool{true, true, true, false, false, true}
	b := []bool{true, false, true, false, true, false}
	c := compare(a, b)
	if c.Wins != 2 || c.Losses != 1 || math.Abs(c.Difference-100.0/6) > 1e-9 || c.P != 1 {
		t.Errorf("got %+v", c)
	}
	if c.Interval.Low > c.Difference || c.Interval.High < c.Difference {
		t.Errorf("the difference lies outside its interval: %+v", c)
	}
}
