package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// mean of xs; 0 without any.
func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// An Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// resamples of a bootstrap: enough that the ends of an interval move by less
// than a tenth of its width from seed to seed.
const resamples = 2000

// bootstrap is the percentile interval of the mean of xs, tasks being drawn
// anew with replacement. Given differences of two methods on the same tasks it
// is the paired bootstrap. The same xs give the same interval.
func bootstrap(xs []float64) Interval {
	if len(xs) == 0 {
		return Interval{}
	}
	r := rand.New(rand.NewPCG(1, uint64(len(xs))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range xs {
			sum += xs[r.IntN(len(xs))]
		}
		means[i] = sum / float64(len(xs))
	}
	slices.Sort(means)
	return Interval{means[resamples*25/1000], means[resamples*975/1000-1]}
}

// A Comparison sets one method against another on the same tasks.
type Comparison struct {
	Difference float64  `json:"difference"` // in points
	Interval   Interval `json:"interval"`
	Wins       int      `json:"wins"` // tasks that only this method gets right
	Losses     int      `json:"losses"`
	P          float64  `json:"p"` // McNemar's exact test, two-sided
}

// compare sets a against b, task by task.
func compare(a, b []bool) Comparison {
	var c Comparison
	differences := make([]float64, len(a))
	for i := range a {
		switch {
		case a[i] && !b[i]:
			c.Wins++
			differences[i] = 100
		case b[i] && !a[i]:
			c.Losses++
			differences[i] = -100
		}
	}
	c.Difference, c.Interval, c.P = mean(differences), bootstrap(differences), mcNemar(c.Wins, c.Losses)
	return c
}

// mcNemar is the exact two-sided p-value of seeing wins and losses this far
// apart, or further, if each were as likely as the other.
func mcNemar(wins, losses int) float64 {
	n, k := wins+losses, min(wins, losses)
	if wins == losses {
		return 1
	}
	logFactorial := func(n int) float64 { l, _ := math.Lgamma(float64(n) + 1); return l }
	p := 0.0
	for i := 0; i <= k; i++ {
		p += math.Exp(logFactorial(n) - logFactorial(i) - logFactorial(n-i) - float64(n)*math.Ln2)
	}
	return min(1, 2*p)
}

// quantile is the value below which a share q of the sorted xs lies.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
