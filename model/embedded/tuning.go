package embedded

const (
	respacedCache  = 0.3
	respacedCorpus = 0.5
	unknownBase    = 0.98
)

var corpusDiscounts = [contextWords + 1]discount{
	{0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.5, 1, 1.3},
}
var cacheDiscounts = [contextWords + 1]discount{
	{0.9, 1.5, 2.5}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.6, 1, 1.3}, {0.5, 1, 1.3},
}
