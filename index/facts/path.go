package facts

// unknownPath stands for an expression that has no path form, in front of a name
// that it qualifies: the Path of Len in (a + b).Len().
const unknownPath = "?"

// maxPath bounds the steps of a path form and of other walks along nested
// expressions. Longer chains are generated, and following each from every one of
// its ends would take quadratic time.
const maxPath = 32
