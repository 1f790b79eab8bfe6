package embedded

// The weights of the layers were fitted by coordinate descent on 8,279 tokens:
// some 315 random lines, and what follows them, of 7 Go and 7 Python repositories,
// each predicted from the rest of its repository and the file above it. In bits
// a token, fitted on all; and fitted on half of the repositories, measured on the
// others:
//
//	modified Kneser–Ney, discounts fitted a layer    3.70   3.79
//	the same with fitted confidence a layer          3.56   3.65
//	Witten–Bell with doubts (below)                  3.56   3.64
//	and the governed layers                          3.46   3.53
//
// The corpus under all of the cache instead of layer by layer costs 0.02 to 0.17
// bits, a layer for every length instead of 0 to 3 and the longest 0.01. In this
// measurement the cache also learned what was scored, which it no longer does.
var (
	// A doubt of d takes a context as seriously as d times its distinct units
	// weigh against its total: 1 is Witten & Bell's method C, more is less trust.
	// By words of context.
	corpusDoubts = [contextWords + 1]float64{48, 6.7, 5.6, 13, 8.3, 6, 4.5, 2.8, 1.1}
	cacheDoubts  = [contextWords + 1]float64{6.7, 12, 5.6, 9.7, 6.2, 3.9, 3, 1.8, 0.7}

	corpusGovernedDoubt = 5.6
	cacheGovernedDoubt  = 5.3
)

// shortWords is the longest context that always has a layer; of the longer ones
// only the longest that was found.
const shortWords = 3

// The base divides what no layer wants. These three are set by hand: in sum they
// leave a fifth to words that nobody has seen.
const (
	respacedCache  = 0.3  // words of the cache, by count, whether spaced there or not
	respacedCorpus = 0.5  // words of the corpus
	unknownBase    = 0.98 // of the rest: the unknown word, against line structure that was never seen
)
