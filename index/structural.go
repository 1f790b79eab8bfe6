package index

// structural is the structural family.
func (q *query) structural() []View { return nil }
