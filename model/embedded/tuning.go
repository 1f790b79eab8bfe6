package embedded

const (
	respacedCache  = 0.3
	respacedCorpus = 0.5
	unknownBase    = 0.98
)

// shortWords is the longest context that always has a layer; of the longer ones
// only the longest that was found.
const shortWords = 3

var (
	corpusDoubts = [contextWords + 1]float64{48, 6.7, 5.6, 13, 8.3, 6, 4.5, 2.8, 1.1}
	cacheDoubts  = [contextWords + 1]float64{6.7, 12, 5.6, 9.7, 6.2, 3.9, 3, 1.8, 0.7}

	corpusGovernedDoubt = 5.6
	cacheGovernedDoubt  = 5.3
)
