package process

// seal does nothing: here a program inherits the handles that it is given by name,
// and no others.
func seal() {}
