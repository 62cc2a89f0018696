"""Elementary functions that give the same bits in every build of the engine."""
