"""What all rooms of `raskt.array` stand on: the registry of the class, settings, layouts, `out=`."""
